// @module-tag slow
// Several methods at one path, told apart by a member of the body: each is an operation of its own in the promoted mock.
import { expect, it } from 'vitest';
import { INTEGER, json, object, TEXT, toDocument } from '../document-parts.js';
import { type Ask, describeDifferences, openTwin, recordAndPromote } from './promoted.js';
import type { Intercept } from './upstream.js';

/** A protocol: how a method and its parameters are sent, and how its result or its failure is answered. */
interface Protocol {
  readonly name: string;
  readonly member: string;
  readonly document: object;
  send(method: string, params: object, id: number | string): object;
  answer(sent: Sent, outcome: Outcome): object;
}

type Sent = Readonly<Record<string, unknown>>;
/** The result, or why there is none. */
type Outcome = { readonly result: unknown } | { readonly code: number; readonly message: string };

const toRpc = (schema: object, response: object): object =>
  toDocument(
    {
      '/rpc': {
        post: {
          operationId: 'call',
          requestBody: { required: true, content: { 'application/json': { schema } } },
          responses: { 200: json(response) },
        },
      },
    },
    {},
    { servers: [{ url: '/v1' }] },
  );

const PROTOCOLS: readonly Protocol[] = [
  {
    name: 'JSON-RPC 2.0',
    member: 'method',
    document: toRpc(
      object({ jsonrpc: TEXT, id: {}, method: TEXT, params: {} }, 'jsonrpc', 'method'),
      object({ jsonrpc: TEXT, id: {}, result: {}, error: object({ code: INTEGER, message: TEXT }) }),
    ),
    send: (method, params, id) => ({ jsonrpc: '2.0', id, method, params }),
    answer: ({ id }, outcome) => ({
      jsonrpc: '2.0',
      id,
      ...('result' in outcome ? outcome : { error: outcome }),
    }),
  },
  {
    name: 'commands with a tag',
    member: 'command',
    document: toRpc(object({ command: TEXT, tag: INTEGER, arguments: { type: 'object' } }, 'command'), object({})),
    send: (command, args, tag) => ({ command, arguments: args, tag }),
    answer: ({ tag }, outcome) =>
      'result' in outcome ? { error: null, data: outcome.result, tag } : { error: outcome.message, data: null, tag },
  },
];

type Call = readonly [method: string, params: Sent];

/** A server of notes, as a function of a request. */
const createNotes = ({ member, answer }: Protocol): ((sent: Sent) => object) => {
  const notes = new Map<number, object>();
  const run = (method: string, params: Sent): Outcome => {
    const id = Number(params['id']);
    if (method === 'system.version') return { result: { version: '1.4', features: ['a', 'b'] } };
    if (method === 'system.uptime') return { result: 86_400 };
    if (method === 'notes.list') return { result: [...notes.values()] };
    if (method === 'notes.add') {
      const made = { id: notes.size + 100, text: params['text'], done: false };
      notes.set(made.id, made);
      return { result: made };
    }
    if (!/^notes\.(?:get|remove)$/.test(method)) return { code: -32_601, message: `no method ${method}` };
    const found = notes.get(id);
    if (found === undefined) return { code: -32_000, message: `no note ${id}` };
    if (method === 'notes.remove') notes.delete(id);
    return { result: method === 'notes.remove' ? true : found };
  };
  return (sent) => answer(sent, run(String(sent[member]), (sent['params'] ?? sent['arguments'] ?? {}) as Sent));
};

const createServer = (protocol: Protocol): Intercept => {
  const notes = createNotes(protocol);
  return ({ body }, response) => {
    const text = JSON.stringify(notes(JSON.parse(body.toString()) as Sent));
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    return true;
  };
};

/** What a server of notes answers that was started anew. */
const createFresh = (protocol: Protocol): ((id: number, call: Call) => object) => {
  const notes = createNotes(protocol);
  return (id, [method, params]) => notes(protocol.send(method, params, id) as Sent);
};

/** Calls that were not recorded. */
const FRESH: readonly Call[] = [
  ['system.version', {}],
  ['system.uptime', {}],
  ['notes.list', {}],
  ['other.none', {}],
];

it.each(PROTOCOLS)(
  'methods of $name are operations of their own, and answers repeat the id of the request',
  async (protocol) => {
    const call = async (ask: Ask, id: number, [method, params]: Call): Promise<unknown> => {
      const body = JSON.stringify(protocol.send(method, params, id));
      return (await ask('/v1/rpc', { method: 'POST', body })).json();
    };
    const recorded = [
      ['system.version', {}],
      ['system.uptime', {}],
      ['notes.list', {}],
      ['system.none', {}],
      ['notes.add', { text: 'first' }],
      ['notes.get', { id: 100 }],
      ['notes.get', { id: 7 }],
      ['notes.list', {}],
      ['notes.remove', { id: 100 }],
      ['notes.get', { id: 100 }],
      ['system.version', {}],
    ] as const;
    const outcome = await recordAndPromote(
      async (ask) => {
        for (const [i, each] of recorded.entries()) await call(ask, i + 1, each);
      },
      { document: protocol.document, intercept: createServer(protocol) },
    );
    expect(describeDifferences(outcome)).toEqual([]);
    const twin = await openTwin(outcome);
    const real = createFresh(protocol);
    for (const [i, each] of FRESH.entries()) expect(await call(twin, 70 + i, each)).toEqual(real(70 + i, each));
  },
);
