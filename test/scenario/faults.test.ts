import { describe, expect, it, vi } from 'vitest';
import { type Clock, createRealClock, createVirtualClock } from '../../src/clock.js';
import type { Fault, StreamAction } from '../../src/http/answer.js';
import type { Fetch } from '../../src/server/app.js';
import { applyFault, breakStream } from '../../src/server/faults.js';
import { readOptions } from '../../src/read-options.js';
import { listen } from '../../src/server/listen.js';
import { readWire, type Wire } from './wire.js';

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
    applyFault({ fault, response: make(), outgoing: environment?.outgoing, clock, signal: request.signal });
}

const { connections } = readOptions({ spec: 'spec/openapi.yaml' });
const makeJson = (): Response => Response.json(BODY);
const makeEvents = (): Response => new Response(EVENTS.join(''), { headers: { 'content-type': 'text/event-stream' } });

async function onSocket(fault: Fault, make: () => Response, look: (url: string) => Promise<unknown>): Promise<unknown> {
  const server = await listen(createBroken(fault, make), { connections });
  try {
    return await look(server.url);
  } finally {
    await server.close(0);
  }
}

/** How far a request gets; of an error of `fetch` only that there is one, since its codes differ between versions of Node. */
async function seeOutcome(fetching: () => Promise<Response>): Promise<Seen> {
  const { status, error } = await see(fetching);
  return { ...(status !== undefined && { status }), ...(error !== undefined && { error }) };
}

const JSON_TEXT = JSON.stringify(BODY);
const HEAD = /^HTTP\/1\.1 200 OK\r\n/;

/** A fault, what a client sees in-process, and what a server sends. */
interface FaultCase {
  readonly fault: Fault;
  readonly seen: Seen;
  check(wire: Wire): void;
}

/** A response whose body ends after `bytes` of the bytes that it announces. */
const checkCut = (bytes: number) => (wire: Wire) => {
  expect(wire.text).toMatch(HEAD);
  expect(wire.body).toBe(JSON_TEXT.slice(0, bytes));
  expect(Number(/^content-length: (\d+)/im.exec(wire.text)?.[1])).toBe(JSON_TEXT.length);
  expect(wire.end).toBe('end');
};

const TERMINATED: Seen = { status: 200, error: 'terminated', code: 'UND_ERR_SOCKET' };

const FAULTS: readonly (readonly [string, FaultCase])[] = [
  [
    'reset',
    {
      fault: { kind: 'reset' },
      seen: { error: 'fetch failed', code: 'ECONNRESET' },
      check: ({ text, end }) => expect([text, end]).toEqual(['', 'ECONNRESET']),
    },
  ],
  [
    'empty',
    {
      fault: { kind: 'empty' },
      seen: { error: 'fetch failed', code: 'UND_ERR_SOCKET' },
      check: ({ text, end }) => expect([text, end]).toEqual(['', 'end']),
    },
  ],
  [
    'garbage',
    {
      fault: { kind: 'garbage' },
      seen: { error: 'fetch failed', code: 'HPE_INVALID_CONSTANT' },
      check: ({ text, end }) => {
        expect(text.length).toBeGreaterThan(0);
        expect(text).not.toMatch(/^HTTP/);
        expect(end).toBe('end');
      },
    },
  ],
  [
    'malformed-chunk',
    {
      fault: { kind: 'malformed-chunk' },
      seen: { status: 200, error: 'terminated', code: 'HPE_INVALID_CHUNK_SIZE' },
      check: ({ text, body, end }) => {
        expect(text).toMatch(HEAD);
        expect(text).toMatch(/^transfer-encoding: chunked\r$/im);
        // One good chunk, then one whose size is not a hexadecimal number (RFC 9112 section 7.1).
        expect(body).toMatch(/^1\r\n\{\r\n(?![\da-f])/i);
        expect(end).toBe('end');
      },
    },
  ],
  [
    'truncate by half',
    { fault: { kind: 'truncate', at: 0.5 }, seen: TERMINATED, check: checkCut(Math.floor(JSON_TEXT.length / 2)) },
  ],
  ['truncate after 10 bytes', { fault: { kind: 'truncate', at: 10 }, seen: TERMINATED, check: checkCut(10) }],
  ['truncate at once', { fault: { kind: 'truncate', at: 0 }, seen: TERMINATED, check: checkCut(0) }],
  [
    'malformed-json',
    {
      fault: { kind: 'malformed-json' },
      seen: { status: 200, error: 'SyntaxError' },
      check: ({ text, body, end }) => {
        expect(text).toMatch(HEAD);
        expect(Number(/^content-length: (\d+)/im.exec(text)?.[1])).toBe(body.length);
        expect(() => JSON.parse(body) as unknown).toThrow(SyntaxError);
        expect(end).toBe('end');
      },
    },
  ],
];

describe('a fault on a socket', () => {
  it.each(FAULTS)('%s is on the wire', async (_name, { fault, check }) => {
    check((await onSocket(fault, makeJson, async (url) => readWire(url))) as Wire);
  });

  it.each(FAULTS)('%s makes fetch fail', async (_name, { fault, seen }) => {
    const { code: _code, ...want } = seen;
    expect(await onSocket(fault, makeJson, (url) => seeOutcome(() => fetch(url)))).toEqual(want);
  });
});

describe('the same fault in-process', () => {
  it.each(FAULTS)('%s', async (_name, { fault, seen }) => {
    const broken = createBroken(fault, makeJson);
    expect(await see(async () => broken(new Request('http://mock/')))).toEqual(seen);
  });
});

describe('a fault that never ends', () => {
  const cases: readonly (readonly [string, Fault, string | undefined])[] = [
    ['hang before the headers', { kind: 'hang', stage: 'headers' }, undefined],
    ['hang in the body', { kind: 'hang', stage: 'body' }, JSON_TEXT.slice(0, Math.floor(JSON_TEXT.length / 2))],
    ['a stalled stream', { kind: 'stream', after: 0, action: 'stall' }, ''],
  ];
  const gone = new Error('the client gives up');

  /**
   * Sends a request, waits until the server has it and has answered another one completely, reads the part of the body that
   * must come, then gives up.
   *
   * @param part - What comes of the body; undefined where not even the headers come.
   */
  async function giveUp(
    ask: (path: string, signal?: AbortSignal) => Promise<Response>,
    arrived: Promise<unknown>,
    part: string | undefined,
  ): Promise<void> {
    const client = new AbortController();
    let isAnswered = false;
    const answer = ask('/broken', client.signal).finally(() => {
      isAnswered = true;
    });
    await arrived;
    await (await ask('/whole')).text();
    if (part === undefined) {
      expect(isAnswered).toBe(false);
      client.abort(gone);
      await expect(answer).rejects.toBe(gone);
      return;
    }
    const reader = ((await answer).body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (text.length < part.length) text += Buffer.from((await reader.read()).value ?? []).toString();
    expect(text).toBe(part);
    const rest = reader.read();
    client.abort(gone);
    await expect(rest).rejects.toBe(gone);
  }

  /** Answers `/broken` with the fault and everything else as it is; `arrived` resolves once the fault begins. */
  function createHalfBroken(fault: Fault): { readonly answer: Fetch; readonly arrived: Promise<void> } {
    const broken = createBroken(fault, makeJson);
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const answer: Fetch = (request, environment) => {
      if (!request.url.endsWith('/broken')) return makeJson();
      const response = broken(request, environment);
      arrive();
      return response;
    };
    return { answer, arrived };
  }

  it.each(cases)('%s ends with the client on a socket', async (_name, fault, part) => {
    const { answer, arrived } = createHalfBroken(fault);
    const server = await listen(answer, { connections });
    try {
      await giveUp((path, signal) => fetch(server.url + path, { signal: signal ?? null }), arrived, part);
    } finally {
      await server.close(0);
    }
  });

  it.each(cases)('%s ends with the client in-process', async (_name, fault, part) => {
    const { answer, arrived } = createHalfBroken(fault);
    const ask = async (path: string, signal?: AbortSignal): Promise<Response> =>
      answer(new Request(`http://mock${path}`, { signal: signal ?? null }));
    await giveUp(ask, arrived, part);
  });
});

describe('a slow body', () => {
  const cases: readonly (readonly [string, Fault, number])[] = [
    ['drip', { kind: 'drip', bytes: 100, everyMs: 5000 }, 5000],
    ['bandwidth', { kind: 'bandwidth', kbps: 8 }, 100],
  ];

  it.each(cases)('%s sends 100 bytes each time the clock advances', async (_name, fault, everyMs) => {
    const clock = createVirtualClock();
    const server = await listen(createBroken(fault, makeJson, clock), { connections });
    const chunks: Buffer[] = [];
    // The server begins to wait in the same turn in which it sends a piece, so the clock moves once a piece is here.
    const body = (await fetch(server.url)).body as unknown as AsyncIterable<Uint8Array>;
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk));
      clock.advance(everyMs);
    }
    await server.close(0);
    expect(Buffer.concat(chunks).toString()).toBe(JSON_TEXT);
    expect(chunks.slice(0, -1).every((chunk) => chunk.length === 100)).toBe(true);
  });

  it('takes as long as the clock of the session says, and no longer', async () => {
    const clock = createVirtualClock(0, { autoAdvance: true });
    const broken = createBroken({ kind: 'drip', bytes: 10, everyMs: 1000 }, makeJson, clock);
    const text = await (await broken(new Request('http://mock/'))).text();
    expect(JSON.parse(text)).toEqual(BODY);
    expect(clock.now()).toBe((Math.ceil(text.length / 10) - 1) * 1000);
  });
});

describe('a stream that fails after two events', () => {
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

describe.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('a stream whose lines end in %s', (_name, end) => {
  it('ends after its second event, also where the end of an event is in two chunks', async () => {
    const events = [1, 2, 3].map((n) => `event: tick${end}data: ${n}${end}${end}`);
    const bytes = new TextEncoder().encode(events.join(''));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const makeSingle = (): Response => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    const broken = createBroken({ kind: 'stream', after: 2, action: 'end' }, makeSingle);
    expect(await (await broken(new Request('http://mock/'))).text()).toBe(events.slice(0, 2).join(''));
  });
});

describe('a stream that will be reset', () => {
  it('is not reset once the client is gone', async () => {
    let turns = 0;
    let failures = 0;
    // Before each turn of its waiting it looks at the signal.
    const { signal } = new AbortController();
    Object.defineProperty(signal, 'aborted', { get: () => (turns += 1) < 0 });
    const open = (end: { signal: AbortSignal; isSilent: boolean }, fail: () => void): ReadableStream | null =>
      breakStream(makeEvents(), { after: 1, action: 'reset', fail, isFlushed: () => true, end }).body;

    const left = open({ signal, isSilent: false }, () => {
      failures += 1;
    });
    await vi.waitUntil(() => turns > 0);
    await left?.cancel();
    const before = turns;
    // Another stream, opened later, that its client reads: the first one would have been reset before it.
    const end = { signal: new AbortController().signal, isSilent: false };
    await new Promise<void>((resolve) => void open(end, resolve)?.getReader().read());
    expect([turns, failures]).toEqual([before, 0]);
  });
});
