import { describe, expect, it } from 'vitest';
import { Atomic, type Change, type ChangeLog, type Segment } from '../../src/features/redis/atomic.js';

/** A log that two processes write to; each has a list of names as its state. */
function createShared() {
  const written: (readonly Change[])[] = [];
  let failure: Error | undefined;
  const open = () => {
    const names: string[] = [];
    let revision = 0;
    const toNews = () => ({
      base: revision,
      revision: written.length,
      isOther: false,
      apply: () => {
        for (const [, name] of written.slice(revision).flat()) names.push(String(name));
        revision = written.length;
      },
    });
    const log: ChangeLog = {
      get revision() {
        return revision;
      },
      read: async () => toNews(),
      commit: async (segment: Segment) => {
        // An answer takes a turn, as on a socket.
        await Promise.resolve();
        if (failure !== undefined) throw failure;
        if (revision !== written.length && segment.changes.length > 0) return toNews();
        if (segment.changes.length > 0) {
          written.push([...segment.changes]);
          revision = written.length;
        }
        for (const [i, entry] of segment.entries.entries()) entry.written(i + 1);
        return undefined;
      },
      shorten: async () => undefined,
    };
    const takeState = () => {
      const before = [...names];
      return () => void names.splice(0, names.length, ...before);
    };
    const atomic = new Atomic(log, takeState);
    const add = (name: string): number => {
      names.push(name);
      atomic.change(['add', name]);
      return names.length;
    };
    return { atomic, names, add };
  };
  return {
    open,
    written,
    fail: (error: Error | undefined) => {
      failure = error;
    },
  };
}

describe('functions that change a session of several processes', () => {
  it('run again on the state that another process has written in between', async () => {
    const { open, written } = createShared();
    const [one, other] = [open(), open()];
    let runs = 0;
    const both = await Promise.all([
      one.atomic.run(() => one.add('a')),
      other.atomic.run(() => {
        runs += 1;
        return other.add('b');
      }),
    ]);
    expect([both, runs]).toEqual([[1, 2], 2]);
    expect(written.flat()).toEqual([
      ['add', 'a'],
      ['add', 'b'],
    ]);
    expect(other.names).toEqual(['a', 'b']);
  });

  it('are committed together where they come together', async () => {
    const { open, written } = createShared();
    const { atomic, add } = open();
    await Promise.all(['a', 'b', 'c'].map((name) => atomic.run(() => add(name))));
    expect(written).toHaveLength(1);
  });

  it('let what cannot be repeated wait until they are committed, once', async () => {
    const { open } = createShared();
    const [one, other] = [open(), open()];
    let calls = 0;
    const callOnce = (): Promise<string> => {
      other.add('b');
      return other.atomic.committed().then(() => {
        calls += 1;
        return 'done';
      });
    };
    const [, done] = await Promise.all([one.atomic.run(() => one.add('a')), other.atomic.run(callOnce)]);
    expect([done, calls]).toEqual(['done', 1]);
  });

  it('fail alone where they throw', async () => {
    const { open, written } = createShared();
    const { atomic, add } = open();
    const failing = atomic.run(() => {
      throw new Error('refused');
    });
    const added = atomic.run(() => add('a'));
    await expect(failing).rejects.toThrow('refused');
    await added;
    expect(written.flat()).toEqual([['add', 'a']]);
  });

  it('are undone where the log cannot be reached; what a test changed is kept', async () => {
    const { open, fail, written } = createShared();
    const { atomic, add, names } = open();
    fail(new Error('no connection'));
    expect(atomic.write(() => add('of a test'))).toBe(1);
    await expect(atomic.run(() => add('of a request'))).rejects.toThrow('no connection');
    await expect(atomic.flush()).rejects.toThrow('no connection');
    expect(names).toEqual(['of a test']);
    fail(undefined);
    await atomic.run(() => add('later'));
    expect(written.flat().map(([, name]) => name)).toEqual(['of a test', 'later']);
  });

  it('number the entries of the journal when they are written', async () => {
    const { open } = createShared();
    const { atomic } = open();
    const inside = await atomic.run(() => atomic.enter('line', (number) => number));
    expect([inside, await atomic.enter('line', (number) => number)]).toEqual([1, 1]);
  });
});
