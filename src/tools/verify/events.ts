import { type Finding, type FoundBreak, joinCauses, type Learned } from './finding.js';

/** Whether a finding is the first one of its cause; a suppressed one does not count. */
export type FindingState = 'new' | 'repeated' | 'suppressed';

/** A request, without its headers and its body. */
interface RequestLine {
  readonly operation: string;
  readonly case: string;
  readonly method: string;
  /** Path and query below the base URL, without credentials. */
  readonly target: string;
}

/** What happens while a service is verified. `start` is the first one and `end` the last one, also of a run that is interrupted. */
export type VerifyEvent =
  | {
      readonly type: 'start';
      readonly title: string;
      readonly version: string;
      readonly baseUrl: string;
      /** How many operations are to be verified. */
      readonly operations: number;
      readonly allowUnsafe: boolean;
    }
  /** The lists and items of a collection come next; collections are before all operations. */
  | { readonly type: 'collection'; readonly collection: string }
  /** The requests of an operation come next, until it is `verified` or `skipped`. */
  | { readonly type: 'operation'; readonly operation: string }
  | ({ readonly type: 'request' } & RequestLine)
  | ({
      readonly type: 'response';
      /** Without an answer: `failure` says why there is none. */
      readonly status?: number | undefined;
      readonly failure?: string | undefined;
      readonly durationMs: number;
      /** How often the request was sent: it is repeated after 429, and where no connection was made. */
      readonly attempts: number;
    } & RequestLine)
  | ({ readonly type: 'finding'; readonly state: FindingState } & FoundBreak)
  | ({ readonly type: 'learned' } & Learned)
  | ({ readonly type: 'skipped' } & Learned)
  | { readonly type: 'verified'; readonly operation: string }
  | {
      readonly type: 'end';
      readonly requests: number;
      readonly findings: number;
      readonly suppressed: number;
      readonly verified: number;
      readonly skipped: number;
      /** Whether it ended before all requests were sent. */
      readonly isCut: boolean;
      /** Why it is cut. */
      readonly reason?: string | undefined;
    };

/** The result of verifying a service: what all events add up to. */
export interface Verification {
  readonly findings: readonly Finding[];
  /** Findings that the user has accepted. */
  readonly suppressed: readonly Finding[];
  /** Facts that the document lacks. */
  readonly learned: readonly Learned[];
  /** Operations that were not verified, each with the reason. */
  readonly skipped: readonly Learned[];
  readonly verified: readonly string[];
  readonly requests: number;
  /** Whether it ended before all requests were sent. */
  readonly isCut: boolean;
  /** Why it is cut. */
  readonly reason?: string | undefined;
}

/** Adds up events. */
export interface VerificationFold {
  add(event: VerifyEvent): void;
  /** What the events so far add up to. */
  read(): Verification;
}

/** Creates the sum of no events. */
export function createVerification(): VerificationFold {
  const breaks: FoundBreak[] = [];
  const suppressed: FoundBreak[] = [];
  const learned: Learned[] = [];
  const skipped: Learned[] = [];
  const verified: string[] = [];
  let requests = 0;
  let end: Pick<Verification, 'isCut' | 'reason'> = { isCut: true };
  return {
    add: (event) => {
      if (event.type === 'finding') {
        const { type: _type, state, ...found } = event;
        (state === 'suppressed' ? suppressed : breaks).push(found);
      } else if (event.type === 'learned' || event.type === 'skipped') {
        const { type, ...fact } = event;
        (type === 'learned' ? learned : skipped).push(fact);
      } else if (event.type === 'verified') verified.push(event.operation);
      else if (event.type === 'response') requests += event.attempts;
      else if (event.type === 'end') end = { isCut: event.isCut, ...(event.isCut && { reason: event.reason }) };
    },
    read: () => {
      const [findings, accepted] = [joinCauses(breaks), joinCauses(suppressed)];
      return { findings, suppressed: accepted, learned, skipped, verified, requests, ...end };
    },
  };
}
