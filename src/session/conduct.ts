import { means } from '../conventions/conventions.js';
import { requireOptions } from '../base/errors.js';
import { type Contract, readSchemaAt } from '../contract/contract.js';
import { addTo, isObject } from '../base/json.js';
import { findMedia } from '../contract/media-type.js';
import type { Operation } from '../contract/operations/operation.js';
import { readContentType, readField } from '../http/header-fields.js';
import { compareRequest } from '../journal/expected-request.js';
import type { Interaction } from '../journal/interaction.js';
import { type OperationNames, readOperationId, type SessionJournal } from '../journal/journal.js';
import type { Finding, VerifyOptions } from '../journal/verify.js';
import type { FieldsReader } from '../contract/schema-view/fields.js';
import { PAGE_STYLES, type PageStyle } from '../resources/list/pagination.js';

/** How a client should behave over several requests; `true` selects a rule. */
export interface ConductOptions {
  /** A request that is answered with `Retry-After` is not repeated earlier (RFC 9110 10.2.3). */
  readonly retryAfter?: boolean;
  /** A request that fails for now is repeated after a wait, and each further time after a longer one. */
  readonly backoff?: boolean | BackoffOptions;
  /** A key of idempotency is used again only with the same operation, path and body. */
  readonly idempotency?: boolean;
  /** Each page of a list is requested once, until the last one. An array names lists that have to be read to their end. */
  readonly pages?: boolean | readonly string[];
  /** No operation, parameter or property is used that the contract declares as deprecated. */
  readonly deprecated?: boolean;
  /** No operation, parameter or property is used that the contract does not declare. */
  readonly undeclared?: boolean;
}

/** The checks of `verify`, also those besides the requests of the client. */
export interface SessionVerifyOptions extends VerifyOptions {
  /** Whether a rule of an active scenario that never applied is a finding; default true. */
  readonly unusedRules?: boolean;
  /** Whether a call that had no recording is a finding; default true. */
  readonly missedRecordings?: boolean;
  /** How the client should behave over several requests: `true` for every rule; default none. */
  readonly conduct?: boolean | ConductOptions;
}

/** How long a client waits before it repeats a request. */
export interface BackoffOptions {
  /** The shortest wait in milliseconds; default 20. */
  readonly minMs?: number;
  /** How many times as long as the wait before each wait is; default 1.1, so that equal waits are not enough. */
  readonly factor?: number;
  /** The wait in milliseconds after which the next one need not be longer; default 8,000. */
  readonly maxMs?: number;
}

/** The facts that rules read. */
export interface ConductParts {
  readonly contract: Contract;
  readonly operations: OperationNames;
  readonly fieldsOf: FieldsReader;
  readonly journal: Pick<SessionJournal, 'toPlain' | 'toTexts'>;
}

/** A mistake of the client, at the interaction that shows it. */
interface Mistake {
  readonly interaction: Interaction;
  readonly message: string;
}

/** Finds the mistakes against one rule in the interactions of a session, oldest first. */
type FindMistakes = (
  interactions: readonly Interaction[],
  parts: ConductParts,
  options: ConductOptions,
) => readonly Mistake[];

/** Every rule, with what to do about its mistakes. */
const RULES: Readonly<Record<keyof ConductOptions, readonly [find: FindMistakes, hint: string]>> = {
  retryAfter: [findEarlyRetries, 'wait for as long as Retry-After says before the request is sent again'],
  backoff: [findHastyRetries, 'wait longer before each retry, for example twice as long, with a limit'],
  idempotency: [findReusedKeys, 'create a new key for each new request, and keep it for its retries'],
  pages: [findWalks, 'follow what each page says about the next one, until there is none'],
  deprecated: [findDeprecated, 'use what the document names instead'],
  undeclared: [findUndeclared, 'correct the name, or declare it in the document'],
};

/**
 * Finds the mistakes of a client over several requests, in the order of the rules.
 *
 * @param options - `true` for every rule.
 * @throws MockError `OPERATION_UNKNOWN`.
 */
export function findConduct(
  interactions: readonly Interaction[],
  parts: ConductParts,
  options: true | ConductOptions,
): readonly Finding[] {
  const given = options === true ? {} : options;
  requireOptions('the conduct of a client', given, Object.keys(RULES));
  if (isObject(given.backoff)) requireOptions('"backoff"', given.backoff, ['minMs', 'factor', 'maxMs']);
  return Object.entries(RULES).flatMap(([name, [find, hint]]) => {
    const isSelected = options === true || (given[name as keyof ConductOptions] ?? false) !== false;
    if (!isSelected) return [];
    return find(interactions, parts, given).map(({ interaction, message }) => {
      return { interaction, url: parts.journal.toTexts(interaction).url, message, hint };
    });
  });
}

/** The same request, sent again: its interactions, oldest first. */
function groupRetries(interactions: readonly Interaction[]): readonly (readonly Interaction[])[] {
  const groups = new Map<string, Interaction[]>();
  for (const interaction of interactions) {
    const { method, url, body } = interaction.request;
    addTo(groups, JSON.stringify([method, url, body], writeValue), interaction);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

function writeValue(_: string, value: unknown): unknown {
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  return typeof value === 'bigint' ? String(value) : value;
}

/**
 * Milliseconds between an answer and the next request, by the clock that measured more: in-process the clock of the session may
 * be the only one that was moved, on a socket only real time passes.
 */
function readWait(before: Interaction, after: Interaction): number {
  return Math.max(after.at - before.at, after.startedAt - before.startedAt - before.elapsedMs);
}

/** Timers are not exact, and clients measure from when they receive the answer. */
const TOLERANCE_MS = 20;

function findEarlyRetries(interactions: readonly Interaction[]): readonly Mistake[] {
  return groupRetries(interactions).flatMap((group) =>
    group.slice(1).flatMap((after, i) => {
      const before = group[i];
      const wanted = before === undefined ? undefined : readRetryAfter(before);
      if (before === undefined || wanted === undefined) return [];
      const waited = readWait(before, after);
      if (waited + TOLERANCE_MS >= wanted) return [];
      const message = `#${before.number} was answered ${before.answer.status} with Retry-After: ${readField(before.answer.headers, 'retry-after')}, and the request was repeated after ${formatMs(waited)}`;
      return [{ interaction: after, message }];
    }),
  );
}

/** Milliseconds of `Retry-After`: seconds or a date (RFC 9110 10.2.3). */
function readRetryAfter(interaction: Interaction): number | undefined {
  const value = readField(interaction.answer.headers, 'retry-after');
  if (value === undefined || interaction.answer.status < 400) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - interaction.at;
  return Number.isNaN(ms) ? undefined : ms;
}

function formatMs(ms: number): string {
  return `${Math.max(0, Math.round(ms))} ms`;
}

/** Statuses after which a request may succeed later. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

function findHastyRetries(
  interactions: readonly Interaction[],
  _parts: ConductParts,
  { backoff }: ConductOptions,
): readonly Mistake[] {
  const { minMs = 20, factor = 1.1, maxMs = 8000 } = typeof backoff === 'object' ? backoff : {};
  return groupRetries(interactions).flatMap((group) => {
    const found: Mistake[] = [];
    let last: number | undefined;
    for (const [i, after] of group.entries()) {
      const before = group[i - 1];
      if (before === undefined || !isTransient(before)) {
        last = undefined;
        continue;
      }
      // The server has chosen this wait.
      if (readRetryAfter(before) !== undefined) continue;
      const waited = readWait(before, after);
      const wanted = last === undefined ? minMs : last >= maxMs ? maxMs : Math.max(minMs, last * factor);
      if (waited < wanted) found.push({ interaction: after, message: describeHaste(before, waited, { last, minMs }) });
      last = waited;
    }
    return found;
  });
}

function isTransient({ answer: { status, fault } }: Interaction): boolean {
  return TRANSIENT.has(status) || fault !== undefined;
}

function describeHaste(
  { number, answer: { status, fault } }: Interaction,
  waited: number,
  { last, minMs }: { readonly last: number | undefined; readonly minMs: number },
): string {
  const failed = `#${number} ${fault === undefined ? `was answered ${status}` : `failed (${fault.kind})`}`;
  const wanted =
    waited < minMs || last === undefined ? `at least ${minMs} ms` : `longer than the ${formatMs(last)} before`;
  return `${failed}, and the request was repeated after ${formatMs(waited)}, not ${wanted}`;
}

function findReusedKeys(interactions: readonly Interaction[], { journal }: ConductParts): readonly Mistake[] {
  const firsts = new Map<string, Interaction>();
  return interactions.flatMap((interaction) => {
    const field = Object.entries(interaction.request.headers).find(([name]) => name.includes('idempotency'));
    if (field === undefined) return [];
    const key = field.join('\n');
    const first = firsts.get(key);
    // A request that was refused used up no key.
    if (first === undefined || first.answer.from === 'refuse') {
      firsts.set(key, interaction);
      return [];
    }
    const message = describeReuse(first, interaction, journal);
    return message === undefined
      ? []
      : [{ interaction, message: `the idempotency key of #${first.number} ${message}` }];
  });
}

function describeReuse(
  first: Interaction,
  { request, ...interaction }: Interaction,
  { toPlain }: ConductParts['journal'],
): string | undefined {
  if (first.request.method !== request.method || readPath(first.request.url) !== readPath(request.url)) {
    return `was used again for another request, ${interaction.operation ?? request.method}`;
  }
  const show = (): Interaction['request'] => ({ body: undefined, ...toPlain({ ...interaction, request }).request });
  const wanted = compareRequest(request, { body: first.request.body }, show);
  const added = wanted.count > 0 ? wanted : compareRequest(first.request, { body: request.body }, () => first.request);
  if (added.count === 0) return undefined;
  const [line = ''] = wanted.lines;
  return `was used again with another body${line === '' ? ', which has more members' : `; ${line}`}`;
}

function readPath(url: string): string {
  return url.split('?')[0] ?? '';
}

function findWalks(
  interactions: readonly Interaction[],
  { contract, operations }: ConductParts,
  { pages }: ConductOptions,
): readonly Mistake[] {
  const named = Array.isArray(pages) ? pages.map((name: string) => readOperationId(name, operations)) : undefined;
  const lists = contract.operations.filter(({ id }) => named?.includes(id) ?? true);
  return lists.flatMap((list) => {
    const calls = interactions.filter(({ operation }) => operation === list.id);
    return calls.length === 0 ? [] : findPageMistakes(list, interactions, { isWhole: named !== undefined });
  });
}

interface Walk {
  /** The first call of each page, by the values of its parameters. */
  readonly pages: Map<string, Interaction>;
  last: Interaction;
}

/**
 * Pages of one list that were requested several times, and walks that end before the last page. After a request that may have changed
 * the list a page may be requested again.
 *
 * @param options - `isWhole` also reports a walk that requested only the first page.
 */
function findPageMistakes(
  list: Operation,
  interactions: readonly Interaction[],
  options: { readonly isWhole: boolean },
): readonly Mistake[] {
  const names = readPageParameters(list);
  if (names.size === 0) return [];
  const found: Mistake[] = [];
  let walks = new Map<string, Walk>();
  const end = (): void => {
    for (const { pages, last } of walks.values()) {
      if ((pages.size > 1 || options.isWhole) && offersNext(last)) {
        found.push({ interaction: last, message: 'it names a next page, which was not requested' });
      }
    }
    walks = new Map();
  };
  for (const interaction of interactions) {
    const { operation, request, answer } = interaction;
    const isSuccess = answer.status >= 200 && answer.status < 300 && answer.fault === undefined;
    if (isSuccess && request.method !== 'GET' && request.method !== 'HEAD' && operation !== list.id) end();
    if (!isSuccess || operation !== list.id) continue;
    const { key, page } = readPage(interaction, names);
    const walk = walks.get(key) ?? { pages: new Map(), last: interaction };
    const before = walk.pages.get(page);
    if (before === undefined) walk.pages.set(page, interaction);
    else found.push({ interaction, message: `this page was requested before, with #${before.number}` });
    walk.last = interaction;
    walks.set(key, walk);
  }
  end();
  return found;
}

/** The names of the query parameters that select a page, without its size. */
function readPageParameters({ parameters }: Operation): ReadonlySet<string> {
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const selectPage = ({ parameters: roles, signs }: PageStyle): readonly string[] => {
    const ideas = signs.flatMap((role) => roles[role] ?? []);
    return query.filter((name) => means(name, ...ideas));
  };
  return new Set(PAGE_STYLES.map(selectPage).find((names) => names.length > 0));
}

/** Which walk and which page of it a call is: the parameters that select a page are apart from all others. */
function readPage(
  { request }: Interaction,
  names: ReadonlySet<string>,
): { readonly key: string; readonly page: string } {
  const query = Object.entries(request.query).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    key: JSON.stringify([request.path, query.filter(([name]) => !names.has(name)), request.method]),
    page: JSON.stringify(query.filter(([name]) => names.has(name))),
  };
}

/** Whether an answer says that there is a next page: in `Link` (RFC 8288), or in its envelope. */
function offersNext({ answer }: Interaction): boolean {
  const { link } = answer.headers;
  const links = typeof link === 'string' ? [link] : (link ?? []);
  if (links.some((value) => /;\s*rel="?next\b/i.test(value))) return true;
  const members = listMembers(answer.body, 2);
  const more = members.find(([name, value]) => typeof value === 'boolean' && means(name, 'pages.hasMore'));
  if (more !== undefined) return more[1] === true;
  return members.some(([name, value]) => means(name, 'pages.next') && isTarget(value));
}

function isTarget(value: unknown): boolean {
  if (isObject(value)) return isTarget(value['href'] ?? value['url']);
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** The members of an envelope and of the objects in it, not the members of items. */
function listMembers(body: unknown, depth: number): readonly (readonly [string, unknown])[] {
  if (!isObject(body) || depth === 0) return [];
  return Object.entries(body).flatMap(([name, value]) => [[name, value] as const, ...listMembers(value, depth - 1)]);
}

function findDeprecated(interactions: readonly Interaction[], parts: ConductParts): readonly Mistake[] {
  return interactions.flatMap((interaction) => {
    const { request } = interaction;
    const operation = interaction.operation === undefined ? undefined : parts.contract.operation(interaction.operation);
    if (operation === undefined) return [];
    const found = operation.deprecated ? [`the operation ${operation.id} is deprecated`] : [];
    for (const { name, in: place, deprecated } of operation.parameters) {
      if (!deprecated) continue;
      const values = place === 'query' ? request.query : place === 'header' ? request.headers : request.path;
      const isSent = Object.hasOwn(values, place === 'header' ? name.toLowerCase() : name);
      if (isSent) found.push(`the ${place} parameter "${name}" is deprecated`);
    }
    const type = readContentType(request.headers);
    const media = type === undefined ? undefined : findMedia(operation.body?.content ?? [], type);
    if (media?.schema !== undefined) {
      const names = listDeprecated(request.body, [media.schemaPointer], parts);
      found.push(...names.map((name) => `the body property "${name}" is deprecated`));
    }
    return found.map((message) => ({ interaction, message }));
  });
}

/** The properties of a body that are deprecated in every schema of them, with dots where they are inside of others. */
function listDeprecated(value: unknown, pointers: readonly string[], parts: ConductParts): readonly string[] {
  const fields = parts.fieldsOf(pointers);
  if (Array.isArray(value)) {
    return [
      ...new Set(
        value.flatMap((item) => (fields.elements.length === 0 ? [] : listDeprecated(item, fields.elements, parts))),
      ),
    ];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const own = fields.members.get(name) ?? [];
    if (own.length === 0) return [];
    if (own.every((pointer) => isDeprecated(pointer, parts.contract))) return [name];
    return listDeprecated(member, own, parts).map((inner) => `${name}.${inner}`);
  });
}

/** A `$ref` may have the keyword beside it. */
function isDeprecated(pointer: string, contract: Contract): boolean {
  const own = contract.at(pointer);
  return (isObject(own) && own['deprecated'] === true) || readSchemaAt(contract, pointer)?.deprecated === true;
}

const UNDECLARED: ReadonlySet<string> = new Set(['BODY_UNDECLARED', 'PARAMETER_UNDECLARED', 'PROPERTY_UNDECLARED']);

function findUndeclared(interactions: readonly Interaction[], { journal }: ConductParts): readonly Mistake[] {
  return interactions.flatMap((interaction) => {
    const { operation, answer, violations } = interaction;
    if (operation === undefined && (answer.status === 404 || answer.status === 405)) {
      return [{ interaction, message: 'no operation of the contract matches' }];
    }
    if (!violations.some(({ by, code }) => by === 'client' && UNDECLARED.has(code))) return [];
    const shown = journal
      .toTexts(interaction)
      .violations.filter(({ by, code }) => by === 'client' && UNDECLARED.has(code));
    return shown.map(({ message }) => ({ interaction, message }));
  });
}
