// @module-tag slow
/* oxlint-disable unicorn/no-thenable -- `then` is a key of a rule */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { MockError } from '../../src/base/errors.js';
import type { ScenarioContext } from '../../src/features/scenario/definition/kinds.js';
import { toScenario } from '../../src/features/scenario/definition/load.js';
import { parseSource } from '../../src/features/scenario/definition/source.js';
import { loadContext } from './library.js';

/** A scenario with every member of the grammar. */
const WHOLE = {
  description: 'Everything.',
  extends: [],
  vars: { seen: 0 },
  state: { books: { clear: true, generate: 2, add: [{ title: 'A' }], update: { b1: { pages: 3 } }, remove: ['b2'] } },
  operations: {
    '*': { delay: { lognormal: { median: 1, p99: 2 } } },
    listBooks: [
      { when: { query: { after: { present: true }, limit: 2 }, call: '2..3' }, respond: { example: 'empty' } },
      { when: { state: { books: { count: 2, has: ['b1'] }, vars: { seen: 1 } } }, patch: { body: { has_more: true } } },
      { probability: 0.5, sequence: [{ status: 429 }, 'engine'], onEnd: 'cycle' },
      {
        when: {
          query: {
            after: { matches: '^a', not: { contains: 'x' }, oneOf: ['a', { present: true }] },
            limit: { gt: 1, lte: 5 },
          },
          header: { 'x-shelf': { equals: 'A' }, 'x-any': { gte: '2026-01-31', lt: '2027-01-31' } },
        },
        delay: 1,
      },
      { times: 1, fault: { 'rate-limit': { limit: 1, window: '1s', per: 'operation', headers: { limit: 'x' } } } },
      { fault: { stream: { after: 1, action: 'stall' } } },
    ],
    createBook: [
      { when: { body: { equals: { title: 'x' }, jsonPath: '$[?@ > 2]' } }, delay: 1 },
      { when: { body: { title: 'x' } }, violates: 'why', respond: { status: 299, headers: { a: 'b' }, body: 7 } },
    ],
    'GET /books/{book_id}': {
      then: {
        books: { remove: ['$request.path.book_id'], update: { '$request.path.book_id': { pages: 2 } } },
        vars: { seen: 1 },
      },
    },
  },
};

type Path = readonly (string | number)[];

/** The paths of all values inside a value. */
function listPaths(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, child]) => listPaths(child, [...path, name]))];
}

/** The value with another value at one path. */
function replaceAt(value: unknown, path: Path, other: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return other;
  // The path was listed from this value, so it is an object or an array.
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>;
  copy[step] = replaceAt(copy[step], rest, other);
  return copy;
}

describe('any definition', () => {
  let context: ScenarioContext;
  beforeAll(async () => {
    context = await loadContext();
  });

  /** The mistakes of a scenario; undefined if it is valid. Any other error fails the test. */
  const refuse = (definition: unknown): MockError | undefined => {
    try {
      toScenario({ id: 'any', definition }, context, new Map());
      return undefined;
    } catch (error) {
      if (error instanceof MockError && error.code === 'SCENARIO_INVALID') return error;
      throw error;
    }
  };

  it('a scenario with every member is valid', () => {
    expect(refuse(WHOLE)).toBeUndefined();
  });

  it('any JSON is accepted or rejected, without a crash', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (definition) => void refuse(definition)),
      { numRuns: 300 },
    );
  });

  it('any value at any position of a scenario is accepted, or rejected with a message and a position', () => {
    const paths = listPaths(WHOLE);
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 2 }), (path, other) => {
        const error = refuse(replaceAt(WHOLE, path, other));
        if (error === undefined) return;
        expect(error.message.length).toBeGreaterThan(10);
        // A message quotes what was sent, so only a word that was not sent shows a value that was not formatted.
        const sent = JSON.stringify(other);
        for (const word of ['undefined', '[object', 'NaN', 'Infinity']) {
          if (!sent.includes(word)) expect(error.message).not.toContain(word);
        }
      }),
      { numRuns: 1500 },
    );
  });

  it('a value that JSON cannot hold is rejected with a message', () => {
    for (const value of [() => 1, Symbol('x'), 1n]) {
      const error = refuse({ operations: { listBooks: { respond: { status: value } } } });
      expect(error?.message).toMatch(/"status" must be an integer from 200 to 599, got/);
    }
  });

  it('names of inherited properties are rejected', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const text = `{ "operations": { "${name}": [] }, "state": { "${name}": {} }, "vars": { "${name}": 1 } }`;
      const error = refuse(parseSource(text, 'a.json').value);
      expect(error?.message).toContain(`operation "${name}" is not in the contract`);
      expect(error?.message).toContain(`unknown collection "${name}"`);
    }
    expect(Object.keys({})).toEqual([]);
  });
});
