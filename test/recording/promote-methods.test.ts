// @module-tag slow
// Several methods at one path, told apart by a member of the body: each is an operation of its own in the promoted mock.
import { expect, it } from 'vitest';
import { createFailureCheck } from '../../src/features/recording/promote/failure.js';
import { INTEGER, inPath, json, object, TEXT, toDocument } from '../document-parts.js';
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

/** What the answers to calls that were not recorded say, with numbers in place of the ids that the server makes. */
async function converse(call: (call: Call) => Promise<object>): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const ids: number[] = [];
  const ask = async (...sent: Call): Promise<void> => {
    const text = JSON.stringify(await call(sent));
    const made = sent[0] === 'notes.add' ? /"(?:result|data)":\{"id":(\d+)/.exec(text)?.[1] : undefined;
    if (made !== undefined) ids.push(Number(made));
    const replaced = ids.reduce(
      (known, id, i) => known.replaceAll(new RegExp(String.raw`(?<="id":|note )${id}\b`, 'g'), String(i)),
      text,
    );
    seen.push(JSON.parse(replaced));
  };
  await ask('system.version', {});
  await ask('system.uptime', {});
  await ask('notes.list', {});
  await ask('other.none', {});
  await ask('notes.get', { id: 8 });
  await ask('notes.add', { text: 'first' });
  await ask('notes.add', { text: 'third' });
  for (const id of ids) await ask('notes.get', { id });
  await ask('notes.list', {});
  for (let i = 0; i < 2; i++) await ask('notes.remove', { id: ids[1] });
  await ask('notes.get', { id: ids[1] });
  await ask('notes.list', {});
  return seen;
}

it.each(PROTOCOLS)(
  'methods of $name are operations of their own, and answers repeat the id of the request',
  async (protocol) => {
    const call = async (ask: Ask, id: number, [method, params]: Call): Promise<object> => {
      const body = JSON.stringify(protocol.send(method, params, id));
      const response = await ask('/v1/rpc', { method: 'POST', body });
      return (await response.json()) as object;
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
    const real = createNotes(protocol);
    let id = 70;
    const answers = await converse((each) => call(twin, (id += 1), each));
    id = 70;
    const wanted = await converse(([method, params]) =>
      Promise.resolve(real(protocol.send(method, params, (id += 1)) as Sent)),
    );
    expect(answers).toEqual(wanted);
  },
);

it('a member called method of the items of a collection does not name methods', async () => {
  const Payment = object({ id: INTEGER, method: TEXT });
  const document = toDocument(
    {
      '/payments': {
        post: {
          requestBody: { content: { 'application/json': { schema: object({ method: TEXT }) } } },
          responses: { 201: json(Payment) },
        },
      },
      '/payments/{id}': { ...inPath('id'), get: { responses: { 200: json(Payment) } } },
    },
    {},
    { servers: [{ url: '/v1' }] },
  );
  let id = 0;
  const outcome = await recordAndPromote(
    async (ask) => {
      for (const method of ['card', 'cash'])
        await ask('/v1/payments', { method: 'POST', body: JSON.stringify({ method }) });
    },
    {
      document,
      intercept: ({ body }, response) => {
        const made = { ...(JSON.parse(body.toString()) as object), id: (id += 1) };
        response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(made));
        return true;
      },
    },
  );
  expect(outcome.drift).toEqual([]);
});

it('null and false are failures beside other results of requests with parameters, and no failures otherwise', () => {
  const toCall = (params: unknown, shown: Sent) => ({ status: 200, sent: { method: 'm', params }, shown });
  const judge = (...calls: readonly ReturnType<typeof toCall>[]): readonly boolean[] =>
    calls.map(createFailureCheck(calls));
  const found = { result: { id: 1 }, error: null };
  expect(judge(toCall([1], found), toCall([2], { result: null, error: null }))).toEqual([false, true]);
  expect(judge(toCall([1], { result: true }), toCall([1], { result: false }))).toEqual([false, true]);
  // What depends on nothing but the state of the service.
  expect(judge(toCall([], { result: true }), toCall([], { result: false }))).toEqual([false, false]);
  expect(judge(toCall([1], { result: null }), toCall([2], { result: null }))).toEqual([false, false]);
  // `error: null` says that there is none.
  expect(judge(toCall([1], found), toCall([2], { error: { code: 5 } }))).toEqual([false, true]);
});
