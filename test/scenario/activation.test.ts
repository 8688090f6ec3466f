import { beforeAll, describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import type { MockOptions } from '../../src/mock/options.js';
import type { ScenarioDefinition } from '../../src/features/scenario/definition/definition.js';
import { LIBRARY } from './library.js';

/** A scenario whose list has one book, called like the scenario. */
const named = (title: string, more: ScenarioDefinition = {}): ScenarioDefinition => ({
  ...more,
  operations: { listBooks: { respond: { body: { data: [{ id: 'b', title }], has_more: false } } } },
});

const SCENARIOS: Readonly<Record<string, ScenarioDefinition>> = {
  a: named('a'),
  b: named('b'),
  c: named('c'),
  child: { extends: ['a'], description: 'Like a.' },
  'own-child': named('own', { extends: ['a'] }),
  'child-of-two': { extends: ['a', 'b'] },
  late: {
    operations: {
      listBooks: { delay: 50 },
      '*': { when: { call: 2 }, respond: { status: 429 }, violates: 'for the test' },
    },
  },
  empty: { state: { books: { clear: true } } },
  more: { extends: ['empty'], state: { books: { add: [{ id: 'm1', title: 'More' }] } } },
  twice: { operations: { listBooks: { sequence: [{ status: 429 }, { status: 429 }, 'engine'] } } },
};

async function createLibrary(more: Partial<MockOptions> = {}): Promise<Mock> {
  return createMock({
    spec: LIBRARY,
    fixtures: { books: [{ id: 'b1', title: 'fixture' }] },
    scenarios: SCENARIOS,
    ...more,
  });
}

/** The titles a list call shows, or its status where it is no success. */
async function list(door: Pick<Mock, 'fetch'>, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await door.fetch('/books?api_key=k', { headers });
  const body = (await response.json()) as { data?: readonly { title: string }[] };
  return body.data === undefined ? response.status : body.data.map(({ title }) => title).join();
}

describe('the precedence of scenarios', () => {
  interface Levels {
    readonly server?: readonly string[];
    readonly session?: readonly string[];
    readonly request?: string;
    readonly prefer?: string;
  }
  const cases: readonly (readonly [string, Levels, string | number])[] = [
    ['none, where none is active', {}, 'fixture'],
    ['the only one of the server', { server: ['a'] }, 'a'],
    ['the session over the server', { server: ['a'], session: ['b'] }, 'b'],
    ['the request over both', { server: ['a'], session: ['b'], request: 'c' }, 'c'],
    ['the later of a session', { session: ['a', 'b'] }, 'b'],
    ['the later of a server', { server: ['b', 'a'] }, 'a'],
    ['the later of a request', { request: 'a, c' }, 'c'],
    ['one that is activated again is the later', { session: ['a', 'b', 'a'] }, 'a'],
    ['a preference is as good as the header', { session: ['a'], prefer: 'respond-async, scenario=b' }, 'b'],
    ['a preference in quotes may name several', { prefer: 'scenario="a,b"' }, 'b'],
    ['what it extends', { session: ['child'] }, 'a'],
    ['its own rules over those it extends', { session: ['own-child'] }, 'own'],
    ['the last one named of those it extends', { session: ['child-of-two'] }, 'b'],
    ['one that only waits goes on to the next', { session: ['a', 'late'] }, 'a'],
  ];

  it.each(cases)('%s', async (_name, levels, want) => {
    const mock = await createLibrary();
    if (levels.server !== undefined) mock.scenarios.activate(...levels.server);
    for (const id of levels.session ?? []) mock.session('default').scenarios.activate(id);
    const headers = {
      ...(levels.request !== undefined && { 'x-mock-scenario': levels.request }),
      ...(levels.prefer !== undefined && { prefer: levels.prefer }),
    };
    expect(await list(mock, headers)).toBe(want);
  });
});

describe('a scenario for one request', () => {
  let mock: Mock;
  beforeAll(async () => {
    mock = await createLibrary();
  });

  it('does not change the list or the state of the session', async () => {
    expect(await list(mock, { 'x-mock-scenario': 'more' })).toBe('More');
    expect(mock.scenarios.list().filter(({ active }) => active !== false)).toEqual([]);
    expect(await list(mock)).toBe('fixture');
    expect(mock.state.collection('books').items).toEqual([{ id: 'b1', title: 'fixture' }]);
  });

  it('keeps its counters from request to request, so that a client that retries gets the next step', async () => {
    const headers = { 'x-mock-scenario': 'twice' };
    expect([await list(mock, headers), await list(mock, headers), await list(mock, headers)]).toEqual([
      429,
      429,
      'fixture',
    ]);
  });

  it('requested with Prefer is confirmed (RFC 7240)', async () => {
    const response = await mock.fetch('/books?api_key=k', { headers: { prefer: 'scenario=c' } });
    expect([response.headers.get('preference-applied'), response.headers.get('x-mock-source')]).toEqual([
      'scenario="c"',
      'scenario:c',
    ]);
  });

  it('counts once if it is named several times', async () => {
    const own = await createLibrary();
    const headers = { 'x-mock-scenario': 'twice, twice' };
    expect([await list(own, headers), await list(own, headers), await list(own, headers)]).toEqual([
      429,
      429,
      'fixture',
    ]);
    own.session('default').scenarios.activate('more', 'more');
    expect(own.scenarios.list().filter(({ active }) => active === 'session')).toHaveLength(1);
    expect(own.state.collection('books').items.filter(({ title }) => title === 'More')).toHaveLength(1);
  });

  it('with an unknown id is a 400 that names the closest id', async () => {
    const response = await mock.fetch('/books?api_key=k', { headers: { 'x-mock-scenario': 'childd' } });
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([400, 'false']);
    expect(await response.text()).toContain('unknown scenario \\"childd\\"; did you mean \\"child\\"?');
  });
});

describe('activating', () => {
  it('for the mock applies to current and future sessions', async () => {
    const mock = await createLibrary();
    const open = mock.session('open');
    mock.scenarios.activate('more');
    expect([await list(mock), await list(open), await list(mock.session('later'))]).toEqual(['More', 'More', 'More']);
    mock.scenarios.deactivate('more');
    expect(mock.scenarios.active).toEqual([]);
  });

  it('in one session does not change the others', async () => {
    const mock = await createLibrary();
    mock.session('one').scenarios.activate('a');
    expect([await list(mock.session('one')), await list(mock.session('two')), await list(mock)]).toEqual([
      'a',
      'fixture',
      'fixture',
    ]);
  });

  it('an unknown id names the closest one', async () => {
    const mock = await createLibrary();
    expect(() => mock.session('default').scenarios.activate('emtpy')).toThrow('unknown scenario "emtpy"');
    expect(() => mock.scenarios.activate('emtpy')).toThrow('unknown scenario "emtpy"');
    const bare = await createMock({ spec: LIBRARY });
    expect(() => bare.scenarios.activate('slow')).toThrow('the option "scenarios" (--scenarios) names their folder');
  });

  it('scenarios passed to the mock can extend each other in any order, and all mistakes are reported together', async () => {
    const mock = await createLibrary({
      scenarios: { from: { late: { extends: 'early' }, early: named('early') }, active: 'late' },
    });
    expect(await list(mock)).toBe('early');
    const wrong = { one: { operations: { listBook: [] } }, two: { extends: 'early' } };
    await expect(createLibrary({ scenarios: wrong })).rejects.toThrow(
      /^SCENARIO_INVALID {2}2 mistakes in scenarios:\n {2}SCENARIO_INVALID {2}#\/scenarios\/one\/operations\/listBook [^]*#\/scenarios\/two\/extends/,
    );
  });

  it('a scenario that is extended in two ways counts once, its state and its rules', async () => {
    const base = { state: { books: { add: [{ title: 'Base' }] } }, operations: { listBooks: { delay: 10 } } };
    const mock = await createLibrary({
      scenarios: {
        from: { base, left: { extends: 'base' }, right: { extends: 'base' }, top: { extends: ['left', 'right'] } },
        active: 'top',
      },
    });
    const before = mock.clock.now();
    expect(await list(mock)).toBe('fixture,Base');
    expect(mock.clock.now() - before).toBe(10);
  });

  it('a scenario passed as an object applies like one of a file, and an invalid one changes nothing', async () => {
    const mock = await createLibrary();
    mock.scenarios.add('mine', named('mine', { extends: ['more'] }));
    mock.session('default').scenarios.activate('mine');
    expect(await list(mock)).toBe('mine');
    expect(() => mock.scenarios.add('mine', { operations: { listBook: [] } })).toThrow(
      'operation "listBook" is not in the contract',
    );
    expect(await list(mock)).toBe('mine');
    expect([mock.scenarios.remove('mine'), await list(mock)]).toEqual([true, 'More']);
  });
});

describe('a reset', () => {
  const open = async (): Promise<Mock> => {
    const mock = await createLibrary();
    mock.session('default').scenarios.activate('twice', 'more');
    await list(mock);
    mock.state.collection('books').add({ id: 'x', title: 'Mine' });
    return mock;
  };

  it('of counters starts sequences again and keeps the state', async () => {
    const mock = await open();
    mock.reset('counters');
    expect([await list(mock), await list(mock), await list(mock)]).toEqual([429, 429, 'More,Mine']);
  });

  it('of state applies the state of active scenarios again, and keeps counters', async () => {
    const mock = await open();
    mock.reset('state');
    expect([await list(mock), await list(mock)]).toEqual([429, 'More']);
  });

  it('of all deactivates scenarios and keeps their definitions', async () => {
    const mock = await open();
    mock.scenarios.add('mine', named('mine'));
    const before = mock.scenarios.ids;
    mock.reset();
    expect(await list(mock)).toBe('fixture');
    expect(mock.scenarios.ids).toEqual(before);
    mock.session('default').scenarios.activate('mine');
    expect(await list(mock)).toBe('mine');
  });
});

describe('the trace', () => {
  it('says for each rule why it did or did not apply', async () => {
    const mock = await createLibrary();
    mock.scenarios.add('why', {
      operations: {
        listBooks: [
          { when: { query: { after: 'x' } }, respond: { status: 429 } },
          { when: { header: { 'x-shelf': 'north' } }, delay: 1 },
          { when: { call: 2 }, respond: { status: 429 } },
          { times: 1, delay: 1 },
          { respond: { status: 429 } },
        ],
      },
    });
    mock.session('default').scenarios.activate('a', 'why');
    await list(mock);
    expect(mock.journal.last()?.trace).toEqual([
      'refuse: the request fits the contract',
      'prefer: the request has no preference',
      'scenario: rule why/listBooks[0] (#/operations/listBooks/0) does not apply: query "after" is absent, not "x"',
      'scenario: rule why/listBooks[1] (#/operations/listBooks/1) does not apply: header "x-shelf" is absent, not "north"',
      'scenario: rule why/listBooks[2] (#/operations/listBooks/2) does not apply: this is call 1, not 2',
      'scenario: rule why/listBooks[3] (#/operations/listBooks/3) applies',
      'scenario: rule why/listBooks[4] (#/operations/listBooks/4) applies and answers',
      'scenario: rule a/listBooks[0] (#/scenarios/a/operations/listBooks) does not apply: rule why/listBooks[4] comes first',
    ]);
  });

  it('names the rule that answers beside 100 of those that do not apply, and counts the others', async () => {
    const mock = await createLibrary();
    const wrong = Array.from({ length: 150 }, (_, i) => ({
      when: { query: { after: `x${i}` } },
      respond: { status: 429 },
    }));
    mock.scenarios.add('many', { operations: { listBooks: [...wrong, { respond: { status: 429 } }] } });
    mock.session('default').scenarios.activate('many');
    await list(mock);
    const trace = mock.journal.last()?.trace.filter((line) => line.startsWith('scenario:')) ?? [];
    expect(trace).toHaveLength(102);
    expect(trace.slice(-2)).toEqual([
      'scenario: rule many/listBooks[150] (#/operations/listBooks/150) applies and answers',
      'scenario: 50 more rules do not apply',
    ]);
  });

  it('and the list of scenarios says how often each rule matched and applied', async () => {
    const mock = await createLibrary({ scenarios: { from: SCENARIOS, active: 'twice' } });
    for (let i = 0; i < 3; i++) await list(mock);
    const twice = mock.scenarios.list().find(({ id }) => id === 'twice');
    expect(twice).toMatchObject({ active: 'session', rules: [{ operation: 'listBooks', met: 3, hits: 3 }] });
  });
});
