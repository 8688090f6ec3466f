import { readSource } from '../../http/answer.js';
import { URLSearchParams } from 'node:url';
import type { Contract } from '../../contract/contract.js';
import { filterMembers, isObject, mapValues } from '../../base/json.js';
import type { DeclaredResponse, Operation } from '../../contract/operations/operation.js';
import { findResponse } from '../../contract/operations/responses.js';
import { createGenerator } from '../../generate/generate.js';
import { countOf } from '../../base/errors.js';
import { readContentType } from '../../http/header-fields.js';
import { readTarget, removeSessionPrefix, splitBasePath } from '../../http/target.js';
import { findMedia, isJsonType, toEssence } from '../../contract/media-type.js';
import type { PlainInteraction } from '../../journal/interaction.js';
import { hasErrors } from '../../schema/violation.js';
import { createValidators } from '../../schema/validate.js';
import { createHash } from 'node:crypto';

/** How a Pact file is written. */
export interface PactOptions {
  /** The name of the client. */
  readonly consumer: string;
  /** The name of the API. */
  readonly provider: string;
  /** The version of the Pact specification; default 3. */
  readonly version?: 3 | 4;
  /** A prefix of all paths; default none, so that they are the paths of the document. */
  readonly basePath?: string;
}

/** A Pact file, and what could not be written to it. */
export interface WrittenPact {
  /** The content of the file; plain JSON. */
  readonly pact: {
    readonly consumer: { readonly name: string };
    readonly provider: { readonly name: string };
    readonly interactions: readonly Readonly<Record<string, unknown>>[];
    readonly metadata: { readonly pactSpecification: { readonly version: string } };
  };
  /** Sentences about the calls and bodies that were left out. */
  readonly notes: readonly string[];
}

/**
 * Converts the journal of a mock to a Pact file: one interaction for each different pair of a valid call and its answer.
 *
 * Secrets are not in it; credentials that the document requires have the value `[redacted]`.
 *
 * @example
 * ```ts
 * import { createMock, toPact } from 'vouch';
 *
 * const mock = await createMock({ spec: 'spec/openapi.yaml', fixtures: 'fixtures' });
 * await mock.fetch('/v1/files/file-handbook/content', { headers: { authorization: 'Bearer k' } });
 * const { pact } = toPact(mock, { consumer: 'console', provider: 'platform' });
 * if (pact.interactions.length !== 1) throw new Error('the call is missing');
 * ```
 */
export function toPact(
  { contract, journal }: { readonly contract: Contract; readonly journal: { toJson(): readonly PlainInteraction[] } },
  options: PactOptions,
): WrittenPact {
  return writePact(contract, journal.toJson(), options);
}

/** Converts interactions to a Pact file. */
export function writePact(
  contract: Contract,
  interactions: readonly PlainInteraction[],
  options: PactOptions,
): WrittenPact {
  const { consumer, provider, version = 3 } = options;
  const leftOut = new Map<string, number>();
  const notes: string[] = [];
  const found = new Map<string, PactInteraction>();
  const toInteraction = createInteractionWriter(contract, options);
  for (const interaction of interactions) {
    const reason = findReason(interaction) ?? toInteraction(interaction, (note) => void notes.push(note));
    if (typeof reason === 'string') leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
    else found.set(JSON.stringify(reason), reason);
  }
  const reasons = [...leftOut].map(([reason, count]) => `${countOf(count, 'call')} left out: ${reason}`);
  const named = nameInteractions([...found.values()]);
  return {
    pact: {
      consumer: { name: consumer },
      provider: { name: provider },
      interactions: named.map(version === 4 ? toVersion4 : toVersion3),
      metadata: { pactSpecification: { version: version === 4 ? '4.0' : '3.0.0' } },
    },
    notes: [...reasons, ...new Set(notes)],
  };
}

/** Why an interaction says nothing about what the provider has to answer; undefined if it does. */
function findReason({ operation, answer, violations }: PlainInteraction): string | undefined {
  if (operation === null) return 'no operation of the document matches';
  if (answer.fault !== undefined || answer.status === 0) return 'a scenario broke the connection';
  if (violations.some(({ by }) => by === 'client') && hasErrors(violations)) return 'the request violates the document';
  if (answer.violates !== undefined || hasErrors(violations)) return 'the answer violates the document';
  return undefined;
}

/** Converts an interaction of an operation; a string says why it cannot be written. */
type WriteInteraction = (interaction: PlainInteraction, note: (line: string) => void) => PactInteraction | string;

/** The string that the journal has in place of a secret. */
const REDACTED = '[redacted]';

function createInteractionWriter(contract: Contract, { basePath = '' }: PactOptions): WriteInteraction {
  const generator = createGenerator(contract, createValidators(contract));
  /** A body without secrets that still fits its schema. */
  const complete = (body: unknown, operation: Operation, contentType: string): unknown => {
    if (!JSON.stringify(body).includes(REDACTED)) return body;
    const media = findMedia(operation.body?.content ?? [], contentType);
    if (media?.schema === undefined) return body;
    const context = { seed: 1, key: operation.id, direction: 'request', now: 0, hint: body } as const;
    return generator.value(media.schemaPointer, context);
  };
  return (interaction, note) => {
    const { request, answer, number } = interaction;
    const operation = contract.operation(interaction.operation ?? '');
    if (operation === undefined) return 'no operation of the document matches';
    const declared = findResponse(operation, answer.status);
    if (declared === undefined || declared.isAssumed === true) return 'the document does not declare the status';
    const type = readContentType(request.headers);
    const { path } = readTarget(removeSessionPrefix(request.url, operation));
    const sent = toPactBody(request.body, request.body === undefined ? undefined : type);
    if (sent === 'unknown') return `a request body of ${type ?? 'an unknown media type'} cannot be written`;
    const answered = toPactBody(withoutSecrets(answer.body), answer.mediaType);
    if (answered === 'unknown') {
      const where = `${request.method} ${operation.path} ${answer.status}`;
      note(`${where} (#${number}): the response body of ${answer.mediaType ?? 'an unknown media type'} is left out`);
    }
    const credentials = listCredentials(contract, operation);
    const headers = listRequestHeaders(request.headers, operation, credentials.headers);
    const body = sent && { ...sent, content: complete(sent.content, operation, sent.contentType) };
    const answerHeaders = listAnswerHeaders(answer, declared);
    const isWritten = /^(?:handler|scenario)$/.test(readSource(answer.from).from);
    return {
      operation: operation.id,
      states: listStates(interaction),
      request: {
        method: operation.method,
        path: basePath + splitBasePath(operation, path).rest,
        query: readQuery(request.url, credentials.query),
        headers,
        body,
        rules: { header: readCredentialRules(headers, credentials.headers), body: {} },
      },
      response: {
        status: answer.status,
        headers: answerHeaders,
        body: answered === 'unknown' ? undefined : answered,
        rules: {
          header: readHeaderRules(answerHeaders),
          // Answers of a handler or a scenario were written by the author of the test.
          body: isWritten || answered === 'unknown' || !isJson(answered) ? {} : readTypeRules(answered.content),
        },
      },
    };
  };
}

/** The body of a message as Pact has it: JSON, text or a form. */
function toPactBody(body: unknown, mediaType: string | undefined): PactBody | undefined | 'unknown' {
  if (body === undefined || mediaType === undefined) return body === undefined ? undefined : 'unknown';
  const contentType = toEssence(mediaType);
  if (isJsonType(contentType)) return { content: body, contentType };
  if (contentType === 'application/x-www-form-urlencoded') {
    const content = toForm(body);
    return content === undefined ? 'unknown' : { content, contentType };
  }
  const isText = contentType.startsWith('text/') && contentType !== 'text/event-stream';
  return isText && typeof body === 'string' ? { content: body, contentType } : 'unknown';
}

/** A form as it is sent; undefined where a field is an object, which clients send in different ways. */
function toForm(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const pairs = Object.entries(body).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item: unknown): [string, unknown] => [name, item]),
  );
  if (pairs.some(([, value]) => typeof value === 'object')) return undefined;
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)])).toString();
}

function isJson(body: PactBody | undefined): body is PactBody {
  return body !== undefined && isJsonType(body.contentType);
}

/** A response body without redacted members: a Pact file says only what the client needs. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isSecret(item)).map(withoutSecrets);
  if (!isObject(value)) return value;
  return mapValues(
    filterMembers(value, (_, member) => !isSecret(member)),
    withoutSecrets,
  );
}

function isSecret(value: unknown): boolean {
  return typeof value === 'string' && value.includes(REDACTED);
}

function readQuery(url: string, credentials: ReadonlySet<string>): Lists {
  const start = url.indexOf('?');
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(start === -1 ? '' : url.slice(start))) {
    if (!isSecret(value) || credentials.has(name)) (query[name] ??= []).push(value);
  }
  return query;
}

/** Where the credentials of an operation are. */
function listCredentials(contract: Contract, { security }: Operation) {
  const schemes = security.flatMap((alternative) =>
    Object.keys(alternative).flatMap((name) => contract.securitySchemes[name] ?? []),
  );
  const keysIn = (place: string): readonly string[] =>
    schemes.flatMap((scheme) => (scheme.in === place ? (scheme.key ?? []) : []));
  const isHeader = schemes.some(({ type }) => type !== 'apiKey' && type !== 'mutualTLS');
  const headers = [...keysIn('header').map((key) => key.toLowerCase()), ...(isHeader ? ['authorization'] : [])];
  return { headers: new Set(headers), query: new Set(keysIn('query')) };
}

/** The content type, what the client accepts, the declared parameters, and credentials without their secrets. */
function listRequestHeaders(
  headers: Readonly<Record<string, string>>,
  { parameters }: Operation,
  credentials: ReadonlySet<string>,
): Lists {
  const declared = parameters.flatMap(({ in: place, name }) => (place === 'header' ? name.toLowerCase() : []));
  const names = new Set(['accept', 'content-type', ...declared, ...credentials]);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (!names.has(name) || (name === 'accept' && value === '*/*')) return [];
      if (isSecret(value) && !credentials.has(name)) return [];
      // A boundary or charset is not part of the contract.
      return [[toTitle(name), [name === 'content-type' ? toEssence(value) : value]]];
    }),
  );
}

/** `content-type` as `Content-Type`. */
function toTitle(name: string): string {
  return name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** The content type and the declared headers. */
function listAnswerHeaders({ headers, mediaType }: PlainInteraction['answer'], response: DeclaredResponse): Lists {
  const declared = new Set(response.headers.map(({ name }) => name.toLowerCase()));
  const own = Object.entries(headers).flatMap(([name, value]): [string, readonly string[]][] => {
    const values = (typeof value === 'string' ? [value] : value).filter((each) => !isSecret(each));
    return values.length > 0 && declared.has(name) && name !== 'set-cookie' ? [[toTitle(name), values]] : [];
  });
  return { ...(mediaType !== undefined && { 'Content-Type': [toEssence(mediaType)] }), ...Object.fromEntries(own) };
}

/** Any credentials of the same scheme. */
function readCredentialRules(headers: Lists, credentials: ReadonlySet<string>): MatchingRules['header'] {
  const own = Object.entries(headers).filter(([name]) => credentials.has(name.toLowerCase()));
  return Object.fromEntries(
    own.map(([name, [value = '']]) => {
      const scheme = /^([\w-]+) /.exec(value)?.[0] ?? '';
      return [name, { match: 'regex', regex: `^${scheme}.+$` }] as const;
    }),
  );
}

/** Any value of a header; a content type with any parameters. */
function readHeaderRules(headers: Lists): MatchingRules['header'] {
  return mapValues(headers, ([value = ''], name): Matcher => {
    if (name !== 'Content-Type') return { match: 'type' };
    return { match: 'regex', regex: `^${value.replaceAll(/[.+*]/g, String.raw`\$&`)}(\\s*;.*)?$` };
  });
}

/** Matches a body by type: below `$` that is the rule for every part, and a list may have any number of items but none. */
function readTypeRules(body: unknown): MatchingRules['body'] {
  const rules: Record<string, Matcher> = { $: { match: 'type' } };
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      if (value.length === 0) return;
      rules[path] = { match: 'type', min: 1 };
      visit(value[0], `${path}[*]`);
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) visit(member, path + toStep(name));
    }
  };
  visit(body, '$');
  return rules;
}

function toStep(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name.replaceAll(/['\\]/g, String.raw`\$&`)}']`;
}

/** The scenarios whose rules applied, and those that the request activates. */
function listStates({ answer, request, trace }: PlainInteraction): readonly string[] {
  const applied = trace.flatMap((line) => /^scenario: rule ([^/ ]+)(?: <|\/)\S* .*\bapplies\b/.exec(line)?.[1] ?? []);
  const { from, detail = '' } = readSource(answer.from);
  const answered = from === 'scenario' ? detail : '';
  const named = (request.headers['x-mock-scenario'] ?? '').split(',').map((id) => id.trim());
  return [...new Set([...applied, answered, ...named].flat())].filter((id) => id !== '').toSorted();
}

/** An interaction in the form that both versions are written from; header values and query values are arrays. */
interface PactInteraction {
  readonly operation: string;
  /** Ids of scenarios. */
  readonly states: readonly string[];
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query: Lists;
    readonly headers: Lists;
    readonly body: PactBody | undefined;
    readonly rules: MatchingRules;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Lists;
    readonly body: PactBody | undefined;
    readonly rules: MatchingRules;
  };
}

/** Values by name. */
type Lists = Readonly<Record<string, readonly string[]>>;

/** A body: a JSON value or a string. */
interface PactBody {
  readonly content: unknown;
  readonly contentType: string;
}

/** How a value is compared: by its type, or with a regular expression. */
interface Matcher {
  readonly match: 'type' | 'regex';
  readonly min?: number;
  readonly regex?: string;
}

/** Matchers by JSON path, or by the name of a header. */
interface MatchingRules {
  readonly header: Readonly<Record<string, Matcher>>;
  readonly body: Readonly<Record<string, Matcher>>;
}

/** An interaction whose description is unique, which the specification requires. */
interface NamedInteraction extends PactInteraction {
  readonly description: string;
}

/** Describes each interaction, with a number where several have the same operation and status. */
function nameInteractions(interactions: readonly PactInteraction[]): readonly NamedInteraction[] {
  const counts = new Map<string, number>();
  return interactions.map((interaction) => {
    const name = `${interaction.operation} answers ${interaction.response.status}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { ...interaction, description: count === 1 ? name : `${name} (${count})` };
  });
}

/** An interaction of version 3: header values are strings. */
function toVersion3(interaction: NamedInteraction): Readonly<Record<string, unknown>> {
  const { description, states } = interaction;
  const content = writeContent(interaction, {
    headers: (headers) => mapValues(headers, (values) => values.join(', ')),
    body: (body) => body.content,
  });
  return { description, ...writeStates(states), ...content };
}

/** An interaction of version 4: header values are arrays, and bodies have a content type. */
function toVersion4(interaction: NamedInteraction): Readonly<Record<string, unknown>> {
  const { description, states } = interaction;
  const content = writeContent(interaction, {
    headers: (headers) => headers,
    body: (body) => ({ ...body, encoded: false }),
  });
  const key = createHash('sha256')
    .update(JSON.stringify([description, content]))
    .digest('hex')
    .slice(0, 16);
  return { type: 'Synchronous/HTTP', key, description, pending: false, ...writeStates(states), ...content };
}

/** How a version writes the parts of a message. */
interface MessageForm {
  readonly headers: (headers: Lists) => object;
  readonly body: (body: PactBody) => unknown;
}

function writeContent({ request, response }: PactInteraction, form: MessageForm): object {
  const { method, path, query } = request;
  const writeMessage = ({ headers, body, rules }: PactInteraction['request' | 'response']): object => ({
    ...unlessEmpty('headers', form.headers(headers)),
    ...(body === undefined ? {} : { body: form.body(body) }),
    ...writeRules(rules),
  });
  return {
    request: { method, path, ...unlessEmpty('query', query), ...writeMessage(request) },
    response: { status: response.status, ...writeMessage(response) },
  };
}

function writeStates(states: readonly string[]): object {
  return states.length === 0 ? {} : { providerStates: states.map((name) => ({ name })) };
}

function unlessEmpty(name: string, members: object): object {
  return Object.keys(members).length === 0 ? {} : { [name]: members };
}

function writeRules({ header, body }: MatchingRules): object {
  const write = (matchers: Readonly<Record<string, Matcher>>): object =>
    mapValues(matchers, (matcher) => ({ matchers: [matcher], combine: 'AND' }));
  return unlessEmpty('matchingRules', { ...unlessEmpty('header', write(header)), ...unlessEmpty('body', write(body)) });
}
