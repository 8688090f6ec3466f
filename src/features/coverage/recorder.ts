import { isEqualJson } from '../../base/json.js';
import type { Contract } from '../../contract/contract.js';
import type { DeclaredResponse, MediaType, Operation, Parameter } from '../../contract/operations/operation.js';
import { findResponse } from '../../contract/operations/responses.js';
import { readContentType } from '../../http/header-fields.js';
import { findMedia } from '../../contract/media-type.js';
import { splitCookies } from '../../http/request/parameters.js';
import type { InteractionRequest } from '../../journal/interaction.js';
import type { Answer } from '../../http/answer.js';
import { type Coverage, type CoverageItemKind, type RuleCoverage, toCoverage } from './coverage.js';

/** A rule of a scenario. */
interface CountedRule {
  /** `flaky/listKeys[0]`; with the scenarios that inherit it before, each with ` < ` after it. */
  readonly key: string;
  /** Where it is defined: `scenarios/flaky.yaml:4`. */
  readPosition(): string;
}

/** An exchange of a mock, or of a service whose exchanges are checked. */
interface CountedExchange {
  /** Undefined where no operation matched. */
  readonly operation: string | undefined;
  readonly request: CountedRequest;
  /** `from` names the source of a mock that answered. */
  readonly answer: Pick<Answer, 'body' | 'mediaType' | 'status'> & Partial<Pick<Answer, 'from'>>;
}

type CountedRequest = Pick<InteractionRequest, 'body' | 'headers' | 'query' | 'url'>;

/** Counts what the requests of one mock, or to a service, exercise. */
export interface CoverageRecorder {
  /** Counts an exchange; the bounded journal, which drops some, is not read. */
  addExchange(exchange: CountedExchange): void;
  /** Counts a call that a rule applied to. */
  addRule(rule: CountedRule): void;
  /** The counts until now. */
  read(): Coverage;
}

/** The recorder of one mock, or of the checks of a contract. @param readRules - The rules that there are now. */
export function createCoverageRecorder(
  contract: Contract,
  readRules: () => readonly CountedRule[] = () => [],
): CoverageRecorder {
  const counters = new Map(
    contract.operations.map((operation) => [operation.id, { operation, hits: 0, items: listItems(operation) }]),
  );
  const applied = new Map<string, { readonly place: string; hits: number }>();
  const { title, version, hash } = contract;
  let requests = 0;
  let unmatched = 0;
  return {
    addExchange: (exchange) => {
      requests += 1;
      const counter = counters.get(exchange.operation ?? '');
      if (counter === undefined) unmatched += 1;
      else count(counter, exchange);
    },
    addRule: ({ key, readPosition }) => {
      const own = toOwnKey(key);
      const counted = applied.get(own) ?? { place: readPosition(), hits: 0 };
      counted.hits += 1;
      applied.set(own, counted);
    },
    read: () =>
      toCoverage({
        document: { title, version, hash },
        requests,
        unmatched,
        operations: Array.from(counters.values(), ({ operation: { id, method, path }, ...counted }) => {
          const items = counted.items.map(({ kind, name, hits }) => ({ kind, name, hits }));
          return { id, method, path, hits: counted.hits, items };
        }),
        rules: listRules(readRules(), applied),
      }),
  };
}

/** The key of a rule in the scenario that defines it: `base/listKeys[0]` for `flaky < base/listKeys[0]`. */
function toOwnKey(key: string): string {
  return key.split(' < ').at(-1) ?? key;
}

/** The rules that there are now, and those that applied before they were removed. */
function listRules(
  rules: readonly CountedRule[],
  applied: ReadonlyMap<string, { readonly place: string; readonly hits: number }>,
): readonly RuleCoverage[] {
  const places = new Map([
    ...rules.map(({ key, readPosition }) => [toOwnKey(key), readPosition()] as const),
    ...[...applied].map(([key, { place }]) => [key, place] as const),
  ]);
  return [...places].map(([key, place]) => ({ key, place, hits: applied.get(key)?.hits ?? 0 }));
}

interface CountedItem {
  readonly kind: CoverageItemKind;
  readonly name: string;
  hits: number;
  isExercised(by: Exercised): boolean;
}

/** The parts of an operation that an interaction exercises. */
interface Exercised {
  readonly request: CountedRequest;
  readonly sent: MediaType | undefined;
  readonly response: DeclaredResponse | undefined;
  /** The media type and the example of the answer. */
  readonly media: MediaType | undefined;
  readonly example: MediaType['examples'][number] | undefined;
}

interface OperationCounter {
  readonly operation: Operation;
  hits: number;
  readonly items: readonly CountedItem[];
}

function count(counter: OperationCounter, { request, answer }: CountedExchange): void {
  const { operation, items } = counter;
  counter.hits += 1;
  const response = findResponse(operation, answer.status);
  const media = answer.mediaType === undefined ? undefined : findMedia(response?.content ?? [], answer.mediaType);
  const example = media?.examples.find(({ name, value }) => value !== undefined && isExample(answer, name, value));
  const exercised = { request, sent: findSentMedia(operation, request), response, media, example };
  for (const item of items) if (item.isExercised(exercised)) item.hits += 1;
}

/** The items that an operation declares. */
function listItems({ parameters, body, responses }: Operation): readonly CountedItem[] {
  const toItem = (kind: CoverageItemKind, name: string, isExercised: CountedItem['isExercised']): CountedItem => {
    return { kind, name, hits: 0, isExercised };
  };
  const listResponseItems = (response: DeclaredResponse): readonly CountedItem[] => {
    const { status, content } = response;
    const isAnswered = (by: Exercised, media: MediaType): boolean => by.response === response && by.media === media;
    return [
      toItem('statuses', status, (by) => by.response === response),
      ...content.map((media) => toItem('responseTypes', `${status} ${media.type}`, (by) => isAnswered(by, media))),
      ...content.flatMap((media) =>
        media.examples.flatMap((example) => {
          const name = `${status} ${media.type}: ${example.name === '' ? 'example' : example.name}`;
          if (example.value === undefined) return [];
          return [toItem('examples', name, (by) => isAnswered(by, media) && by.example === example)];
        }),
      ),
    ];
  };
  return [
    ...parameters.map((parameter) =>
      toItem('parameters', `${parameter.in} ${parameter.name}`, ({ request }) => isSent(parameter, request)),
    ),
    ...(body?.content ?? []).map((media) => toItem('requestTypes', media.type, ({ sent }) => sent === media)),
    // One that the document does not have is not missing.
    ...responses.filter(({ isAssumed }) => isAssumed !== true).flatMap(listResponseItems),
  ];
}

function isSent({ in: place, name }: Parameter, { url, query, headers }: CountedRequest): boolean {
  // An operation without its path parameters is not called.
  if (place === 'path') return true;
  if (place === 'header') return headers[name.toLowerCase()] !== undefined;
  if (place === 'cookie') return splitCookies(headers['cookie'] ?? '').some((cookie) => cookie.name === name);
  return place === 'querystring' ? url.includes('?') : Object.hasOwn(query, name);
}

/** The declared media type of the body that was sent. */
function findSentMedia({ body }: Operation, request: CountedRequest): MediaType | undefined {
  if (body === undefined) return undefined;
  const type = readContentType(request.headers);
  if (type !== undefined) return findMedia(body.content, type);
  return request.body !== undefined && body.content.length === 1 ? body.content[0] : undefined;
}

/** Whether an answer is an example: its source names it, a rule of a scenario answers with its very value, or a service with an equal one. */
function isExample({ from, body }: CountedExchange['answer'], name: string, value: unknown): boolean {
  if (from === undefined) return isEqualJson(body, value);
  return from === (name === '' ? 'example' : `example:${name}`) || (typeof body === 'object' && body === value);
}
