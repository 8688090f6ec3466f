import { isObject } from '../../src/base/json.js';
import type { Operation } from '../../src/contract/operations/operation.js';
import { findSuccessMedia } from '../../src/contract/operations/responses.js';
import { readPointer, readSegments } from '../../src/contract/pointer.js';
import { createGenerator } from '../../src/generate/generate.js';
import type { Mock } from '../../src/index.js';
import { createValidators } from '../../src/schema/validate.js';
import { draftRequest, toRequest } from '../../src/features/inspector/sample-request.js';
import { type Body, type BodyOrder, buildBody, findParts, isOpen } from './manifest-body.js';
import type { LongRunning, Place, Places } from './manifest-format.js';
import { type Reply, show } from './manifest-pages.js';

/** Named values. */
export type Values = Readonly<Record<string, unknown>>;

/** A step that makes the following ones pointless. */
export class Failure extends Error {}

/** What one request carries, besides what its operation requires. */
export interface Sending {
  readonly values: Values;
  /** Where values go that the document does not declare as parameters. */
  readonly places?: Places | undefined;
  /** Values that are sent only where the operation requires them. */
  readonly parents?: Values;
  readonly body?: Body | undefined;
}

/** Sends requests of a document to its mock. */
export interface Client {
  find(key: string): Operation;
  /** Where an operation takes a value. */
  place(operation: Operation, name: string, places?: Places): Place;
  send(key: string, sending: Sending): Promise<Reply>;
  build(order: Omit<BodyOrder, 'ordinal'>): Body | undefined;
  /** Polls an operation until it is done; gives its item. */
  poll(reply: Reply, rules: LongRunning): Promise<unknown>;
  /** Whether the body of a request declares a field. */
  takes(operation: Operation, pointer: string): boolean;
  /** Whether the answer to a request declares a value. */
  gives(operation: Operation, pointer: string): boolean;
  /** A new value for a parameter. */
  choose(operation: Operation, name: string): unknown;
}

/** Creates a client of one mock. */
export function createClient(mock: Mock): Client {
  const { contract } = mock;
  const validators = createValidators(contract);
  const tools = { contract, validators, generator: createGenerator(contract, validators) };
  let ordinal = 0;

  const find = (key: string): Operation => {
    const operation = contract.operations.find(({ method, path }) => `${method} ${path}` === key);
    if (operation === undefined) throw new Error(`the document has no operation ${key}`);
    return operation;
  };

  const isParameter = (operation: Operation, name: string, where: string): boolean =>
    operation.parameters.some((each) => each.name === name && each.in === where);

  const place = (operation: Operation, name: string, places?: Places): Place => {
    if (operation.path.includes(`{${name}}`)) return 'path';
    return places?.[name] ?? (isParameter(operation, name, 'query') ? 'query' : 'body');
  };

  const takes = (operation: Operation, pointer: string): boolean =>
    (operation.body?.content ?? []).some(
      (media) => isOpen(contract, media) || findParts(contract, media.schemaPointer, readSegments(pointer)).length > 0,
    );

  const build = (order: Omit<BodyOrder, 'ordinal'>): Body | undefined =>
    buildBody(tools, { ...order, ordinal: (ordinal += 1) });

  /** The body of a request that changes no field: what is required, and the given values. */
  const buildPlain = (operation: Operation, fixed: Values, parents: Values): Body | undefined => {
    if (operation.body === undefined) return undefined;
    const plain = { operation, at: '', vary: [], previous: new Map<string, unknown>() };
    const minimal = build({ ...plain, fixed: {} })?.value;
    const required = Object.entries(parents).filter(([name]) => isObject(minimal) && name in minimal);
    const all = { ...Object.fromEntries(required), ...fixed };
    return operation.body.required || Object.keys(all).length > 0 ? build({ ...plain, fixed: all }) : undefined;
  };

  const send = async (key: string, { values, places, parents = {}, body }: Sending): Promise<Reply> => {
    const operation = find(key);
    const sent: Record<Place, Record<string, unknown>> = { path: {}, query: {}, body: {} };
    for (const [name, value] of Object.entries(parents)) {
      const isRequired = operation.parameters.some((each) => each.name === name && each.required);
      const where = place(operation, name, places);
      if (isRequired || where === 'path') sent[where][name] = value;
    }
    for (const [name, value] of Object.entries(values)) sent[place(operation, name, places)][name] = value;
    const own = body ?? buildPlain(operation, sent.body, parents);
    const draft = draftRequest(contract, tools.generator, operation);
    const request = toRequest({
      ...draft,
      path: { ...draft.path, ...sent.path },
      query: { ...draft.query, ...sent.query },
      body: own === undefined ? undefined : { media: own.media, value: own.value },
    });
    request.headers.set('accept', 'application/json, */*;q=0.1');
    const hasBody = own !== undefined && operation.method !== 'GET';
    // Names of several segments are sent with plain slashes.
    const { origin, pathname, search } = new URL(request.url);
    const response = await mock.fetch(
      new Request(`${origin}${pathname.replaceAll('%2F', '/')}${search}`, {
        method: request.method,
        headers: request.headers,
        ...(hasBody ? { body: await request.arrayBuffer() } : {}),
      }),
    );
    return { status: response.status, body: toJson(await response.text()), headers: response.headers };
  };

  const poll = async (reply: Reply, { poll: key, name, done, item }: LongRunning): Promise<unknown> => {
    const [parameter = ''] = /(?<=\{)[^}]+/.exec(key) ?? [];
    const id = String(readPointer(reply.body, name)).split('/').at(-1);
    for (let i = 0; i < 20; i++) {
      const state = await send(key, { values: { [parameter]: id } });
      if (state.status !== 200) throw new Failure(`polling ${id} answers ${state.status} ${show(state.body)}`);
      if (readPointer(state.body, done) === true) return item === undefined ? undefined : readPointer(state.body, item);
    }
    throw new Failure(`the operation ${id} is not done after 20 polls: ${show(reply.body)}`);
  };

  const choose = (operation: Operation, name: string): unknown => {
    const text = `id-${(ordinal += 1)}`;
    const parameter = operation.parameters.find((each) => each.name === name);
    if (parameter === undefined) return text;
    const { schemaPointer } = parameter;
    const isValid = validators.check(schemaPointer, 'request')(text, 'body').length === 0;
    const wish = { seed: ordinal, key: `choice ${ordinal}`, direction: 'request', now: Date.UTC(2026, 0, 1) } as const;
    return isValid ? text : tools.generator.value(schemaPointer, wish);
  };

  const gives = (operation: Operation, pointer: string): boolean => {
    const media = findSuccessMedia(operation);
    return media?.schema !== undefined && findParts(contract, media.schemaPointer, readSegments(pointer)).length > 0;
  };

  return { find, place, send, build, poll, takes, gives, choose };
}

function toJson(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}
