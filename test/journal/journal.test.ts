import { describe, expect, it } from 'vitest';
import { createJournal, createJournalPool, nameOperations, type SessionJournal } from '../../src/journal/journal.js';
import { type Interaction, recordRequest, type ToTexts } from '../../src/journal/interaction.js';
import { MockError } from '../../src/errors.js';
import { findUnexpected, toVerifyError, type VerifyOptions } from '../../src/journal/verify.js';

/** Which texts are secret is tested with a whole mock as well. */
const toTexts: ToTexts = ({ request, violations, trace }) => ({
  url: request.url.replace('hunter2', '…'),
  violations,
  trace,
});

const OPERATIONS = nameOperations([
  { id: 'listThings', method: 'GET', path: '/things' },
  { id: 'createThing', method: 'POST', path: '/things' },
  { id: 'getThing', method: 'GET', path: '/things/{id}' },
]);

interface Given {
  readonly operation?: string | undefined;
  readonly url?: string;
  readonly status?: number;
}

function add(journal: SessionJournal, given: Given = {}, size?: number): Interaction {
  const operation = 'operation' in given ? given.operation : 'listThings';
  const url = given.url ?? '/things';
  const interaction = {
    number: 0,
    session: 'default',
    at: 0,
    startedAt: 0,
    elapsedMs: 1,
    operation,
    request: recordRequest({ method: 'GET', url, path: {}, query: {}, body: undefined }, {}),
    answer: {
      status: given.status ?? 200,
      headers: {},
      body: undefined,
      mediaType: undefined,
      from: 'state',
      violations: [],
    },
    violations: [],
    trace: [],
  };
  return journal.add(interaction, size);
}

/** What `mock.verify` does with a journal. */
function verify(journal: SessionJournal, options: VerifyOptions = {}): void {
  const findings = findUnexpected(journal, options);
  if (findings.length > 0) throw toVerifyError(findings);
}

function open(limit = 100): SessionJournal {
  return createJournal({ limit, operations: OPERATIONS, toPlain: refuseToShow, toTexts });
}

/** What a journal shows is tested with a whole mock, in redaction.test.ts. */
function refuseToShow(): never {
  throw new Error('nothing is shown here');
}

async function messageOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof MockError) return error.toString();
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('a journal', () => {
  it('keeps what came last, in order, and counts what it dropped', () => {
    const journal = open(3);
    for (let i = 0; i < 8; i++) add(journal, { url: `/things/${i}` });
    expect(journal.interactions.map(({ request }) => request.url)).toEqual(['/things/5', '/things/6', '/things/7']);
    expect(journal.interactions.map(({ number }) => number)).toEqual([6, 7, 8]);
    expect(journal.dropped).toBe(5);
    expect(journal.last()?.number).toBe(8);
  });

  it('keeps no more bytes of bodies than it may, but always the newest interaction', () => {
    const journal = createJournal({
      limit: 100,
      limitBytes: 1000,
      operations: OPERATIONS,
      toPlain: refuseToShow,
      toTexts,
    });
    for (const size of [400, 400, 0, 300, 5000, 10]) add(journal, {}, size);
    expect(journal.interactions.map(({ number }) => number)).toEqual([6]);
    for (const size of [400, 500, 90]) add(journal, {}, size);
    expect(journal.interactions.map(({ number }) => number)).toEqual([6, 7, 8, 9]);
    expect(journal.dropped).toBe(5);
  });

  it('keeps nothing where its limit is 0, and still wakes who waits', async () => {
    const journal = open(0);
    const waited = journal.waitFor('listThings');
    add(journal);
    expect(journal.interactions).toEqual([]);
    expect((await waited).number).toBe(1);
    expect(journal.dropped).toBe(1);
  });

  it('finds the calls of one operation by its method and path', () => {
    const journal = open();
    add(journal, { operation: 'createThing' });
    expect(journal.calls('POST /things')).toHaveLength(1);
    expect(journal.last('GET /things/{id}')).toBeUndefined();
    expect(() => journal.last('GET /thing')).toThrow('did you mean "GET /things"?');
  });

  it('refuses an operation that is not in the contract, with the nearest name', async () => {
    const journal = open();
    const want = 'OPERATION_UNKNOWN  operation "listThing" is not in the contract\n  hint: did you mean "listThings"?';
    expect(await messageOf(() => journal.calls('listThing'))).toBe(want);
    expect(await messageOf(() => journal.last('listThing'))).toBe(want);
    expect(await messageOf(() => journal.waitFor('listThing'))).toBe(want);
    expect(await messageOf(() => journal.calls('zzz'))).toContain(
      'the operations are listThings, createThing, getThing',
    );
  });
});

describe('waiting', () => {
  it('is over in the very step that adds what is meant', async () => {
    const journal = open();
    let woken = 0;
    const waited = journal.waitFor(({ answer }) => answer.status === 404).then(({ number }) => (woken = number));
    add(journal);
    add(journal, { status: 404 });
    await Promise.resolve();
    await waited;
    expect(woken).toBe(2);
  });

  it('counts as many as are asked for, after a number where one is given', async () => {
    const journal = open();
    add(journal);
    const waited = journal.waitFor('listThings', { count: 2, after: 1 });
    add(journal);
    add(journal, { operation: 'getThing' });
    add(journal);
    expect((await waited).number).toBe(4);
  });

  it('fails with a list of what came instead', async () => {
    const journal = open();
    add(journal, { url: '/things?limit=2&api_key=hunter2' });
    const waited = journal.waitFor('createThing', { timeout: 1 });
    add(journal, { operation: undefined, url: '/thinks', status: 404 });
    expect(await messageOf(() => waited)).toBe(
      [
        'WAIT_TIMEOUT  no call of createThing within 1 ms; other interactions:',
        '    #1 GET /things?limit=2&api_key=… -> 200 state (listThings)',
        '    #2 GET /thinks -> 404 state (no operation)',
        '  hint: check that the client uses this mock and this session; { timeout } sets a longer time in milliseconds',
      ].join('\n'),
    );
  });

  it('says how many of a count came, and that nothing else did', async () => {
    const journal = open();
    add(journal);
    expect(await messageOf(() => journal.waitFor('listThings', { count: 3, timeout: 1 }))).toContain(
      '1 of 3 matching interactions (call of listThings) within 1 ms; there was no other interaction either',
    );
  });

  it('rejects with the error of a predicate, which does not affect the added request', async () => {
    const journal = open();
    const waited = journal.waitFor(() => {
      throw new Error('my predicate');
    });
    const outcome = expect(waited).rejects.toThrow('my predicate');
    expect(add(journal).number).toBe(1);
    await outcome;
  });
});

describe('verification', () => {
  it('reports a request that matched no operation for another reason as refused', async () => {
    const journal = open();
    add(journal, { operation: undefined, status: 400 });
    expect(await messageOf(() => verify(journal))).toContain('(no operation)\n      refused with 400\n');
    // A preflight and the like: answered, and nobody's mistake.
    journal.clear();
    add(journal, { operation: undefined, status: 204 });
    expect(() => verify(journal)).not.toThrow();
  });

  it.each([
    ['once too few', { createThing: 1 }, 'createThing was called 0 times, not once'],
    ['too many', { listThings: 1 }, 'listThings was called 2 times, not once'],
    ['below a bound', { listThings: { atLeast: 3 } }, 'listThings was called 2 times, not at least 3 times'],
    ['above a bound', { listThings: { atMost: 1 } }, 'listThings was called 2 times, not at most once'],
  ])('counts calls: %s', async (_, calls, want) => {
    const journal = open();
    add(journal);
    add(journal);
    expect(await messageOf(() => verify(journal, { calls }))).toContain(want);
    expect(() => verify(journal, { calls: { listThings: 2, createThing: 0, getThing: { atMost: 1 } } })).not.toThrow();
  });

  it('says that a count may be wrong because interactions were dropped', async () => {
    const journal = open(1);
    add(journal);
    add(journal);
    expect(await messageOf(() => verify(journal, { calls: { listThings: 2 } }))).toContain(
      'listThings was called once, not 2 times (1 older interactions were dropped)',
    );
  });
});

describe('the journals of all sessions together', () => {
  it('keep no more bytes than they may: the oldest interactions of the sessions that were used least recently go first', () => {
    const pool = createJournalPool(1000);
    const [one, two, three] = [0, 0, 0].map(() =>
      createJournal({ limit: 100, pool, operations: OPERATIONS, toPlain: refuseToShow, toTexts }),
    ) as [SessionJournal, SessionJournal, SessionJournal];
    const sizes = (): readonly number[] => [one, two, three].map(({ size }) => size);
    for (const journal of [one, one, two, three, one]) add(journal, {}, 200);
    expect(sizes()).toEqual([3, 1, 1]);
    add(one, {}, 300);
    expect(sizes()).toEqual([4, 0, 0]);
    expect([one.dropped, two.dropped, three.dropped]).toEqual([0, 1, 1]);
    add(three, {}, 5000);
    expect(sizes()).toEqual([0, 0, 1]);
    three.release();
    add(two, {}, 900);
    add(one, {}, 90);
    expect(sizes()).toEqual([1, 1, 0]);
    one.clear();
    add(two, {}, 100);
    expect(sizes()).toEqual([0, 2, 0]);
  });
});
