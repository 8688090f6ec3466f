import type { CollectionChanges, PatchWithNulls } from '../../../base/json.js';
import type { Fault } from '../../../http/answer.js';
import type { Matcher } from './matcher.js';

/** A named set of rules that was checked against the contract. */
export interface Scenario {
  readonly id: string;
  readonly description: string | undefined;
  /** Undefined if it was passed as an object. */
  readonly file: string | undefined;
  readonly extends: readonly string[];
  /** As it was written. */
  readonly definition: unknown;
  /** The changes made when it is activated, changes of the scenarios it extends first. */
  readonly start: Changes;
  /** The same changes by scenario id, so that a scenario that is extended in two ways counts once. */
  readonly layers: ReadonlyMap<string, Changes>;
  /** By precedence: its own rules from top to bottom, then those of the scenarios it extends, the last one first. */
  readonly rules: readonly Rule[];
}

/** One rule of a scenario, checked and normalized. */
export interface Rule {
  /** Unique within a mock: `flaky/createThing[0]`. */
  readonly key: string;
  /** The activated scenario; the rule may be from one that it extends. */
  readonly scenario: string;
  /** An operation id, or `*`. */
  readonly target: string;
  /** `scenarios/flaky.yaml:4`, or a pointer if there is no file. */
  readonly readPosition: () => string;
  readonly when: When | undefined;
  readonly respond: Respond | undefined;
  readonly patch: Patch | undefined;
  readonly sequence: readonly SequenceStep[] | undefined;
  readonly onEnd: OnEnd;
  /** The fault instead of the answer, or together with `respond`. */
  readonly fault: Fault | RateLimit | undefined;
  readonly delay: Delay | undefined;
  readonly times: number | undefined;
  readonly probability: number | undefined;
  readonly then: Changes | undefined;
  readonly violates: string | undefined;
}

/** The conditions of a rule. */
export interface When {
  readonly path: Readonly<Record<string, Matcher>>;
  readonly query: Readonly<Record<string, Matcher>>;
  /** Names in lower case. */
  readonly header: Readonly<Record<string, Matcher>>;
  readonly cookie: Readonly<Record<string, Matcher>>;
  /** Undefined: any body, or none. */
  readonly body: Matcher | undefined;
  readonly call: CallRange | undefined;
  readonly state: ByCollection<CollectionCondition>;
}

/** A condition on a collection. */
export interface CollectionCondition {
  readonly count: CallRange | undefined;
  readonly has: readonly string[];
  readonly lacks: readonly string[];
}

/** The behaviour of a sequence after its last step. */
export type OnEnd = 'hold' | 'cycle' | 'fallthrough' | 'error';

/** One step of a sequence; `engine` is the answer of the sources below. */
export type SequenceStep = 'engine' | (Respond & { readonly fault: Fault | undefined });

/** An answer that a rule gives. */
export interface Respond {
  /** Undefined: the status of the example, or the status of success. */
  readonly status: number | undefined;
  readonly example: string | undefined;
  /** Undefined: taken from the contract. May contain expressions. */
  readonly body: unknown;
  /** The bytes of the body instead of a value. */
  readonly base64: Uint8Array | undefined;
  /** The items of a stream instead of a body; they may contain expressions. */
  readonly events: readonly ScriptedEvent[] | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly mediaType: string | undefined;
}

/** One item of a stream that a rule sends. */
export interface ScriptedEvent {
  /** How long to wait before it. */
  readonly delay: Delay | undefined;
  /** The data of an event or a line; undefined where the event has none. */
  readonly data: unknown;
  /** The fields of an event beside its data: `event`, `id` and `retry`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether it is only a delay. */
  readonly isPause: boolean;
}

/** A merge patch (RFC 7386) over an answer. */
export interface Patch {
  readonly status: number | undefined;
  /** `null` removes a header. */
  readonly headers: Readonly<Record<string, string | readonly string[] | null>>;
  /** Undefined: the body stays as it is. May contain expressions. */
  readonly body: unknown;
  /** The paths of nulls in the body that are values. */
  readonly nulls: PatchWithNulls['nulls'];
}

/** Values by collection, and of variables. */
export interface ByCollection<Value> {
  readonly collections: readonly (Value & { readonly name: string })[];
  readonly vars: Readonly<Record<string, unknown>>;
}

/** Changes of collections and variables; values may contain expressions. */
export type Changes = ByCollection<Omit<CollectionChanges, 'name'>>;

/** Which calls are selected by their number: from one to another (both included), or every n-th. */
export type CallRange =
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'every'; readonly every: number };

/** How long to wait, in milliseconds. */
export type Delay =
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'uniform'; readonly from: number; readonly to: number }
  | { readonly kind: 'lognormal'; readonly median: number; readonly p99: number }
  | { readonly kind: 'normal'; readonly mean: number; readonly deviation: number };

/** A number of calls per window of time. */
export interface RateLimit {
  readonly kind: 'rate-limit';
  readonly limit: number;
  /** Its length in milliseconds. */
  readonly window: number;
  /** Which calls share a window: all calls of the session, the calls of an operation, or the calls with a credential. */
  readonly per: 'session' | 'operation' | 'credential';
  readonly headers: RateLimitHeaders;
}

/** The headers with the state of a rate limit, in lower case; an undefined one is not sent. */
export interface RateLimitHeaders {
  readonly limit: string | undefined;
  readonly remaining: string | undefined;
  readonly reset: string | undefined;
}
