import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Clock, createRealClock, createVirtualClock } from '../../src/clock.js';
import type { Fault, StreamAction } from '../../src/http/answer.js';
import type { Fetch } from '../../src/server/app.js';
import { breakStream } from '../../src/server/faults/fault-streams.js';
import { applyFault } from '../../src/server/faults/faults.js';
import { listen } from '../../src/server/listen.js';

const BODY = { data: Array.from({ length: 40 }, (_, i) => ({ id: `item-${i}` })), has_more: false };
const EVENTS = ['data: {"n":1}\n\n', 'data: {"n":2}\n\n', 'data: {"n":3}\n\n'];

/** What came of a request: how far it got, and the code of the error that ended it. */
interface Seen {
  readonly status?: number;
  readonly error?: string;
  readonly code?: string;
}

async function see(fetching: () => Promise<Response>): Promise<Seen> {
  let response: Response;
  try {
    response = await fetching();
  } catch (error) {
    return toSeen(error, undefined);
  }
  try {
    await response.json();
    return { status: response.status };
  } catch (error) {
    return toSeen(error, response.status);
  }
}

function toSeen(error: unknown, status: number | undefined): Seen {
  const { name, message, cause } = error as Error & { cause?: { code?: string } };
  const base = status === undefined ? {} : { status };
  if (name === 'SyntaxError') return { ...base, error: 'SyntaxError' };
  return { ...base, error: message, ...(cause?.code !== undefined && { code: cause.code }) };
}

/** A server, or a function, that answers everything with one broken answer. */
function createBroken(fault: Fault, make: () => Response, clock: Clock = createRealClock()): Fetch {
  return (request, environment) =>
    applyFault({
      fault,
      response: make(),
      outgoing: environment?.outgoing,
      clock,
      signal: request.signal,
    });
}

const makeJson = (): Response => Response.json(BODY);
const makeEvents = (): Response => new Response(EVENTS.join(''), { headers: { 'content-type': 'text/event-stream' } });

async function onSocket(fault: Fault, make: () => Response, look: (url: string) => Promise<unknown>): Promise<unknown> {
  const server = await listen(createBroken(fault, make));
  try {
    return await look(server.url);
  } finally {
    await server.close(0);
  }
}

const FAULTS: readonly (readonly [string, Fault, Seen])[] = [
  ['reset', { kind: 'reset' }, { error: 'fetch failed', code: 'ECONNRESET' }],
  ['empty', { kind: 'empty' }, { error: 'fetch failed', code: 'UND_ERR_SOCKET' }],
  ['garbage', { kind: 'garbage' }, { error: 'fetch failed', code: 'HPE_INVALID_CONSTANT' }],
  [
    'malformed-chunk',
    { kind: 'malformed-chunk' },
    { status: 200, error: 'terminated', code: 'HPE_INVALID_CHUNK_SIZE' },
  ],
  ['truncate by half', { kind: 'truncate', at: 0.5 }, { status: 200, error: 'terminated', code: 'UND_ERR_SOCKET' }],
  [
    'truncate after 10 bytes',
    { kind: 'truncate', at: 10 },
    { status: 200, error: 'terminated', code: 'UND_ERR_SOCKET' },
  ],
  ['truncate at once', { kind: 'truncate', at: 0 }, { status: 200, error: 'terminated', code: 'UND_ERR_SOCKET' }],
  ['malformed-json', { kind: 'malformed-json' }, { status: 200, error: 'SyntaxError' }],
];

describe('a fault as the client of a socket sees it', () => {
  it.each(FAULTS)('%s', async (_name, fault, want) => {
    expect(await onSocket(fault, makeJson, (url) => see(() => fetch(url)))).toEqual(want);
  });
});

describe('the same fault in-process', () => {
  it.each(FAULTS)('%s', async (_name, fault, want) => {
    const broken = createBroken(fault, makeJson);
    expect(await see(async () => broken(new Request('http://mock/')))).toEqual(want);
  });
});

describe('a fault that never ends', () => {
  const cases: readonly (readonly [string, Fault, Seen])[] = [
    [
      'hang before the headers',
      { kind: 'hang', stage: 'headers' },
      { error: 'The operation was aborted due to timeout' },
    ],
    [
      'hang in the body',
      { kind: 'hang', stage: 'body' },
      { status: 200, error: 'The operation was aborted due to timeout' },
    ],
    [
      'a stalled stream',
      { kind: 'stream', after: 0, action: 'stall' },
      { status: 200, error: 'The operation was aborted due to timeout' },
    ],
  ];

  it.each(cases)('%s ends with the client on a socket', async (_name, fault, want) => {
    const look = (url: string): Promise<Seen> => see(() => fetch(url, { signal: AbortSignal.timeout(100) }));
    expect(await onSocket(fault, makeJson, look)).toEqual(want);
  });

  it.each(cases)('%s ends with the client in-process', async (_name, fault, want) => {
    const broken = createBroken(fault, makeJson);
    expect(await see(async () => broken(new Request('http://mock/', { signal: AbortSignal.timeout(100) })))).toEqual(
      want,
    );
  });
});

describe('a slow body', () => {
  const cases: readonly (readonly [string, Fault])[] = [
    ['drip', { kind: 'drip', bytes: 100, everyMs: 5 }],
    ['bandwidth', { kind: 'bandwidth', kbps: 800 }],
  ];

  it.each(cases)('%s arrives whole and in pieces', async (_name, fault) => {
    const chunks: Uint8Array[] = [];
    await onSocket(fault, makeJson, async (url) => {
      // A web stream of Node is an async iterable of its chunks.
      for await (const chunk of (await fetch(url)).body as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk);
    });
    expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual(BODY);
    expect(fault.kind === 'drip' ? chunks.length > 3 : chunks.length >= 1).toBe(true);
  });

  it('takes as long as the clock of the session says, and no longer', async () => {
    const clock = createVirtualClock(0, { autoAdvance: true });
    const broken = createBroken({ kind: 'drip', bytes: 10, everyMs: 1000 }, makeJson, clock);
    const text = await (await broken(new Request('http://mock/'))).text();
    expect(JSON.parse(text)).toEqual(BODY);
    expect(clock.now()).toBe((Math.ceil(text.length / 10) - 1) * 1000);
  });
});

describe('a stream that goes wrong after two events', () => {
  const read = async (response: Response): Promise<{ readonly text: string; readonly error?: string }> => {
    let text = '';
    try {
      // As above.
      const body = response.body as unknown as AsyncIterable<Uint8Array>;
      for await (const chunk of body) text += Buffer.from(chunk).toString();
      return { text };
    } catch (error) {
      return { text, error: (error as { cause?: { code?: string } }).cause?.code ?? String(error) };
    }
  };
  const [one = '', two = '', three = ''] = EVENTS;
  const cases: readonly (readonly [StreamAction, { readonly text: string; readonly error?: string }])[] = [
    ['reset', { text: one + two, error: 'ECONNRESET' }],
    ['end', { text: one + two }],
    ['bad-json', { text: `${one}${two}data: {"broken": \n\n${three}` }],
    ['duplicate', { text: one + two + two + three }],
  ];

  it.each(cases)('%s on a socket', async (action, want) => {
    const seen = await onSocket({ kind: 'stream', after: 2, action }, makeEvents, async (url) =>
      read(await fetch(url)),
    );
    expect(seen).toEqual(want);
  });

  it.each(cases)('%s in-process', async (action, want) => {
    const broken = createBroken({ kind: 'stream', after: 2, action }, makeEvents);
    expect(await read(await broken(new Request('http://mock/')))).toEqual(want);
  });
});

describe('a stream that is to be reset', () => {
  afterEach(() => void vi.useRealTimers());

  it('is forgotten once its reader has left', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const failed = vi.fn();
    const response = breakStream(makeEvents(), {
      after: 1,
      action: 'reset',
      fail: failed,
      isFlushed: () => true,
      end: { signal: new AbortController().signal, isSilent: false },
    });
    // It waits for what was sent to be read.
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    await response.body?.cancel();
    await vi.advanceTimersByTimeAsync(1000);
    expect(vi.getTimerCount()).toBe(0);
    expect(failed).not.toHaveBeenCalled();
  });
});
