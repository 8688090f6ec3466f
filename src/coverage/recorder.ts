import type { Contract } from '../contract/contract.js';
import type { DeclaredResponse, MediaType, Operation, Parameter } from '../contract/operations/operation.js';
import { findResponse } from '../contract/operations/responses.js';
import type { Answer } from '../http/answer.js';
import { readContentType } from '../http/header-fields.js';
import { findMedia } from '../contract/media-type.js';
import { splitCookies } from '../http/request/parameters.js';
import type { Interaction, InteractionRequest } from '../journal/interaction.js';
import type { Rule } from '../scenario/rules/rule.js';
import type { Scenarios } from '../scenario/scenarios.js';
import { type Coverage, type CoverageItemKind, type RuleCoverage, toCoverage } from './coverage.js';

/** Counts what the requests of one mock exercise. */
export interface CoverageRecorder {
  /** Counts an interaction; the bounded journal, which drops some, is not read. */
  addInteraction(interaction: Interaction): void;
  /** Counts a call that a rule applied to. */
  addRule(rule: Rule): void;
  /** What was counted until now. */
  read(): Coverage;
}

/** The recorder of one mock. */
export function createCoverageRecorder(contract: Contract, scenarios: Scenarios): CoverageRecorder {
  const counters = contract.operations.map((operation) => [operation, createCounter(operation)] as const);
  const byId = new Map(counters.map(([{ id }, counter]) => [id, counter]));
  const applied = new Map<string, { readonly place: string; hits: number }>();
  const { title, version, hash } = contract;
  let requests = 0;
  let unmatched = 0;
  return {
    addInteraction: (interaction) => {
      requests += 1;
      const counter = byId.get(interaction.operation ?? '');
      if (counter === undefined) unmatched += 1;
      else counter.add(interaction);
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
        operations: counters.map(([{ id, method, path }, { hits, items }]) => {
          return { id, method, path, hits: hits(), items: items.map((item) => ({ ...item })) };
        }),
        rules: listRules(scenarios, applied),
      }),
  };
}

/** The key of a rule in the scenario that defines it: `base/listKeys[0]` for `flaky < base/listKeys[0]`. */
function toOwnKey(key: string): string {
  return key.split(' < ').at(-1) ?? key;
}

/** The rules that there are now, and those that applied before they were removed. */
function listRules(
  scenarios: Scenarios,
  applied: ReadonlyMap<string, { readonly place: string; readonly hits: number }>,
): readonly RuleCoverage[] {
  const rules = scenarios.ids.flatMap((id) => scenarios.get(id)?.rules ?? []);
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
}

interface OperationCounter {
  readonly items: readonly CountedItem[];
  hits(): number;
  add(interaction: Interaction): void;
}

function createCounter(operation: Operation): OperationCounter {
  let hits = 0;
  const parameters = operation.parameters.map((parameter) => {
    return { parameter, item: toItem('parameters', `${parameter.in} ${parameter.name}`) };
  });
  const requestTypes = new Map(
    (operation.body?.content ?? []).map((media) => [media, toItem('requestTypes', media.type)]),
  );
  // One that the document does not have is not missing.
  const declared = operation.responses.filter(({ isAssumed }) => isAssumed !== true);
  const responses = new Map(declared.map((response) => [response, createResponseCounter(response)]));
  return {
    items: [
      ...parameters.map(({ item }) => item),
      ...requestTypes.values(),
      ...[...responses.values()].flatMap(({ items }) => items),
    ],
    hits: () => hits,
    add: ({ request, answer }) => {
      hits += 1;
      for (const { parameter, item } of parameters) if (isSent(parameter, request)) item.hits += 1;
      const sent = findSentMedia(operation, request);
      countItem(sent && requestTypes.get(sent));
      const response = findResponse(operation, answer.status);
      if (response !== undefined) responses.get(response)?.add(answer);
    },
  };
}

function toItem(kind: CoverageItemKind, name: string): CountedItem {
  return { kind, name, hits: 0 };
}

function countItem(item: CountedItem | undefined): void {
  if (item !== undefined) item.hits += 1;
}

function isSent({ in: place, name }: Parameter, { url, query, headers }: InteractionRequest): boolean {
  // An operation without its path parameters is not called.
  if (place === 'path') return true;
  if (place === 'header') return headers[name.toLowerCase()] !== undefined;
  if (place === 'cookie') return splitCookies(headers['cookie'] ?? '').some((cookie) => cookie.name === name);
  return place === 'querystring' ? url.includes('?') : Object.hasOwn(query, name);
}

/** The declared media type of the body that was sent. */
function findSentMedia({ body }: Operation, request: InteractionRequest): MediaType | undefined {
  if (body === undefined) return undefined;
  const type = readContentType(request.headers);
  if (type !== undefined) return findMedia(body.content, type);
  return request.body !== undefined && body.content.length === 1 ? body.content[0] : undefined;
}

interface ResponseCounter {
  readonly items: readonly CountedItem[];
  add(answer: Answer): void;
}

function createResponseCounter({ status: key, content }: DeclaredResponse): ResponseCounter {
  const status = toItem('statuses', key);
  const types = content.map((media) => {
    const examples = media.examples.filter(({ value }) => value !== undefined);
    return {
      media,
      type: toItem('responseTypes', `${key} ${media.type}`),
      examples: examples.map(({ name, value }) => {
        return { name, value, item: toItem('examples', `${key} ${media.type}: ${name === '' ? 'example' : name}`) };
      }),
    };
  });
  return {
    items: [
      status,
      ...types.map(({ type }) => type),
      ...types.flatMap(({ examples }) => examples.map(({ item }) => item)),
    ],
    add: (answer) => {
      const { mediaType } = answer;
      status.hits += 1;
      const media = mediaType === undefined ? undefined : findMedia(content, mediaType);
      const counted = types.find((each) => each.media === media);
      if (counted === undefined) return;
      counted.type.hits += 1;
      countItem(counted.examples.find(({ name, value }) => isExample(answer, name, value))?.item);
    },
  };
}

/** Whether an answer is an example: its source names it, or a rule of a scenario answers with its very value. */
function isExample({ from, body }: Answer, name: string, value: unknown): boolean {
  return from === (name === '' ? 'example' : `example:${name}`) || (typeof body === 'object' && body === value);
}
