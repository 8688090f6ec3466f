// Services with JSON-RPC whose parameters have no names: `params: [7]`, `params: [{ … }]`, `params: [7, { … }]`.
import { rpc, type Step, type Twin, WALLET } from './twins.js';

type Json = Readonly<Record<string, unknown>>;

/** A call whose first parameter is the result of another one. */
const rpcOf = (id: number, method: string, from: number, ...others: readonly object[]): Step =>
  rpc(id, method, (bodies) => [(JSON.parse(bodies[from] ?? '{}') as { result: number }).result, ...others]);

/** Ids are integers; creates answer the id alone. */
const LAMPS: Twin = {
  name: 'lamps with parameters by position',
  document: WALLET.document,
  start: () => {
    const lamps = new Map<number, Json>([[1, { id: 1, room: 'attic', watts: 40, lit: true }]]);
    const run = (method: string, [first, second]: readonly unknown[]): Json => {
      if (method === 'lamps.list') return { result: [...lamps.values()] };
      if (method === 'lamps.add') {
        const id = Math.max(...lamps.keys()) + 1;
        lamps.set(id, { id, watts: 60, lit: false, ...(first as Json) });
        return { result: id };
      }
      if (!/^lamps\.(?:get|update|remove)$/.test(method))
        return { error: { code: -32_601, message: 'No such method' } };
      const id = Number(first);
      const found = lamps.get(id);
      if (found === undefined) return { error: { code: 7, message: `There is no lamp ${id}` } };
      if (method === 'lamps.update') lamps.set(id, { ...found, ...(second as Json) });
      if (method !== 'lamps.remove') return { result: lamps.get(id) };
      lamps.delete(id);
      return { result: true };
    };
    return ({ sent }) => [
      200,
      { jsonrpc: '2.0', id: sent['id'], ...run(String(sent['method']), (sent['params'] ?? []) as readonly unknown[]) },
    ];
  },
  recorded: [
    rpc(1, 'lamps.list', []),
    rpc(2, 'lamps.add', [{ room: 'hall', watts: 25 }]),
    rpc(3, 'lamps.add', [{ room: 'porch' }]),
    rpcOf(4, 'lamps.get', 1),
    rpc(5, 'lamps.get', [88]),
    rpcOf(6, 'lamps.update', 1, { lit: true }),
    rpc(7, 'lamps.update', [89, { lit: true }]),
    rpc(8, 'lamps.list', []),
    rpcOf(9, 'lamps.remove', 2),
    rpcOf(10, 'lamps.remove', 2),
    rpc(11, 'lamps.none', []),
    rpc(12, 'lamps.list', []),
  ],
  fresh: [
    rpc(51, 'lamps.add', [{ room: 'cellar' }]),
    rpc(52, 'lamps.list', []),
    rpcOf(53, 'lamps.get', 0),
    rpc(54, 'lamps.get', [1]),
    rpc(55, 'lamps.add', [{ room: 'study', watts: 11 }]),
    rpcOf(56, 'lamps.get', 4),
    rpcOf(57, 'lamps.update', 4, { watts: 15, lit: true }),
    rpcOf(58, 'lamps.get', 4),
    rpc(59, 'lamps.get', [70]),
    rpc(60, 'lamps.update', [71, { lit: false }]),
    rpc(61, 'lamps.remove', [72]),
    rpcOf(62, 'lamps.remove', 0),
    rpcOf(63, 'lamps.get', 0),
    rpc(64, 'lamps.list', []),
    rpc(65, 'lamps.dim', [1]),
  ],
};

/** Ids that are made of names; `null` and `false` say that there is nothing. */
const MIXES: Twin = {
  name: 'mixes whose methods answer null for what is unknown',
  document: WALLET.document,
  start: () => {
    const mixes = new Map<string, Json>();
    const run = (method: string, [first]: readonly unknown[]): Json => {
      const uri = String(first);
      if (method === 'deck.mixes.as_list') return { result: [...mixes.values()] };
      if (method === 'deck.mixes.create') {
        const made = { uri: `mix:${uri}.m3u`, name: uri, tracks: 0 };
        mixes.set(made.uri, made);
        return { result: made };
      }
      if (method === 'deck.mixes.lookup') return { result: mixes.get(uri) ?? null };
      if (method === 'deck.mixes.delete') return { result: mixes.delete(uri) };
      return { error: { code: -32_601, message: 'No such method' } };
    };
    return ({ sent }) => [
      200,
      { jsonrpc: '2.0', id: sent['id'], ...run(String(sent['method']), (sent['params'] ?? []) as readonly unknown[]) },
    ];
  },
  recorded: [
    rpc(1, 'deck.mixes.as_list'),
    rpc(2, 'deck.mixes.create', ['morning']),
    rpc(3, 'deck.mixes.create', ['night']),
    rpc(4, 'deck.mixes.lookup', ['mix:morning.m3u']),
    rpc(5, 'deck.mixes.lookup', ['mix:none.m3u']),
    rpc(6, 'deck.mixes.as_list'),
    rpc(7, 'deck.mixes.delete', ['mix:night.m3u']),
    rpc(8, 'deck.mixes.delete', ['mix:night.m3u']),
    rpc(9, 'deck.mixes.as_list'),
  ],
  fresh: [
    rpc(51, 'deck.mixes.create', ['party']),
    rpc(52, 'deck.mixes.lookup', ['mix:party.m3u']),
    rpc(53, 'deck.mixes.lookup', ['mix:ghost.m3u']),
    rpc(54, 'deck.mixes.create', ['sleep']),
    rpc(55, 'deck.mixes.as_list'),
    rpc(56, 'deck.mixes.delete', ['mix:ghost.m3u']),
    rpc(57, 'deck.mixes.delete', ['mix:party.m3u']),
    rpc(58, 'deck.mixes.lookup', ['mix:party.m3u']),
    rpc(59, 'deck.mixes.as_list'),
  ],
};

export const TWINS_BY_POSITION: readonly Twin[] = [LAMPS, MIXES];
