// @module-tag slow
import { mkdir, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ScenarioContext } from '../../src/scenario/definition/kinds.js';
import { loadScenarios } from '../../src/scenario/definition/load.js';
import { createScenarios, type Reload, reloadScenarios, type Scenarios } from '../../src/scenario/scenarios.js';
import { createWatcher, type Watcher } from '../../src/server/watch.js';
import { createMock } from '../../src/mock.js';
import type { MockOptions } from '../../src/options.js';
import { LIBRARY, loadContext } from './library.js';
import { createFolder } from '../folders.js';

let folder: string;
let watcher: Watcher | undefined;

beforeEach(() => {
  folder = createFolder();
});
afterEach(() => watcher?.close());

/** A queue of what a watcher reports: `next` waits for the next item. */
function createQueue<T>(): { push(item: T): void; next(): Promise<T> } {
  const items: T[] = [];
  const waiting: ((item: T) => void)[] = [];
  return {
    push: (item) => {
      const taker = waiting.shift();
      if (taker === undefined) items.push(item);
      else taker(item);
    },
    next: () => {
      const item = items.shift();
      return item === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(item);
    },
  };
}

/** Changes a file repeatedly until a watcher reports it: from then on the watcher has read the folder. */
async function keepWriting(name: string, told: () => Promise<unknown>): Promise<void> {
  const write = (): void => void writeFile(join(folder, name), `description: Seen ${performance.now()}.`);
  const timer = setInterval(write, 50);
  await told();
  clearInterval(timer);
}

describe('a watcher sees a file that is', () => {
  const at = (name: string): string => join(folder, name);
  const cases: readonly (readonly [string, () => Promise<void>, string])[] = [
    ['written', async () => writeFile(at('a.yaml'), 'changed'), 'a.yaml'],
    ['new', async () => writeFile(at('new.yaml'), 'new'), 'new.yaml'],
    ['deleted', async () => unlink(at('a.yaml')), 'a.yaml'],
    [
      'replaced by renaming another one over it, twice',
      async () => {
        for (const text of ['one', 'two!']) {
          await writeFile(at('.tmp'), text);
          await rename(at('.tmp'), at('a.yaml'));
        }
      },
      'a.yaml',
    ],
    [
      'deleted and created again',
      async () => {
        await unlink(at('a.yaml'));
        await writeFile(at('a.yaml'), 'again');
      },
      'a.yaml',
    ],
    [
      'in a new folder',
      async () => {
        await mkdir(at('deep'));
        await writeFile(at('deep/b.yaml'), 'deep');
      },
      'deep/b.yaml',
    ],
    [
      'written in pieces',
      async () => {
        for (const text of ['one', 'one two', 'one two three']) await writeFile(at('a.yaml'), text);
      },
      'a.yaml',
    ],
  ];

  it.each(cases)('%s', async (_name, act, want) => {
    await writeFile(at('a.yaml'), 'first');
    const queue = createQueue<readonly string[]>();
    watcher = createWatcher(
      () => [folder],
      (changed) => queue.push(changed),
      { everyMs: 10 },
    );
    await keepWriting('.seen', async () => queue.next());
    await act();
    let changed: readonly string[] = [];
    while (!changed.includes(at(want))) changed = await queue.next();
    expect(changed).toContain(at(want));
  });
});

describe('a scenario that is edited while the mock runs', () => {
  let context: ScenarioContext;
  let scenarios: Scenarios;
  let reloads: { push(item: Reload): void; next(): Promise<Reload> };
  const write = async (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  const status = (id: string): unknown => {
    const [rule] = scenarios.find(id).rules;
    return rule?.effect.kind === 'respond' ? rule.effect.respond.status : undefined;
  };

  beforeEach(async () => {
    context = await loadContext();
    await write('a.yaml', 'operations: { listBooks: { respond: { status: 200 } } }');
    await write('b.yaml', 'description: B.');
    scenarios = createScenarios(context, loadScenarios(folder, context));
    scenarios.activate(['a']);
    reloads = createQueue();
    const update = async (): Promise<void> => reloads.push(reloadScenarios(folder, context, scenarios));
    watcher = createWatcher(() => [folder], update, { everyMs: 10 });
    await keepWriting('first.yaml', async () => reloads.next());
  });

  const until = async (isIt: (reload: Reload) => boolean): Promise<Reload> => {
    for (;;) {
      const reload = await reloads.next();
      if (isIt(reload)) return reload;
    }
  };

  it('applies at once, and stays active', async () => {
    await write('a.yaml', 'operations: { listBooks: { respond: { status: 429 } } }');
    await until(() => status('a') === 429);
    expect([status('a'), scenarios.active]).toEqual([429, ['a']]);
  });

  it('keeps its last valid version if the edit is invalid, and says so', async () => {
    await write('a.yaml', 'operations: { listBoks: { respond: { status: 429 } } }');
    const { error, kept } = await until((reload) => reload.error !== undefined);
    expect(error?.reason).toBe('operation "listBoks" is not in the contract');
    expect([kept, status('a'), scenarios.active]).toEqual([['a'], 200, ['a']]);
    await write('b.yaml', 'description: B, edited.');
    await write('a.yaml', 'operations: { listBooks: { respond: { status: 429 } } }');
    const next = await reloads.next();
    expect([next.error, status('a')]).toEqual([undefined, 429]);
  });

  it('is removed and deactivated when its file is deleted', async () => {
    await unlink(join(folder, 'a.yaml'));
    await until(() => scenarios.get('a') === undefined);
    expect([scenarios.get('a'), scenarios.active]).toEqual([undefined, []]);
  });

  it('does not change a scenario that was passed as an object', async () => {
    scenarios.add('mine', { description: 'Mine.' });
    await write('b.yaml', 'description: Edited.');
    await until(({ loaded }) => loaded.includes('b') && scenarios.get('b')?.description === 'Edited.');
    expect(scenarios.get('mine')?.description).toBe('Mine.');
  });
});

describe('a mock with onReload', () => {
  it('answers by the edited file from the next call on, and stops watching when it is closed', async () => {
    const path = join(folder, 'a.yaml');
    await writeFile(path, 'operations: { listBooks: { respond: { status: 200 } } }');
    const reloads = createQueue<Reload>();
    // The document is written out in full; its type is as wide as any.
    const spec = LIBRARY as MockOptions['spec'] & object;
    const mock = await createMock({
      spec,
      scenarios: { from: folder, active: 'a', onReload: (reload) => reloads.push(reload) },
    });
    const ask = async (): Promise<number> => (await mock.fetch('/books?api_key=k')).status;
    expect(await ask()).toBe(200);
    await keepWriting('other.yaml', async () => reloads.next());
    await writeFile(path, 'operations: { listBooks: { respond: { status: 429 } } }');
    while ((await ask()) !== 429) await reloads.next();
    expect(mock.scenarios.list().find(({ id }) => id === 'a')?.active).toBe('session');
    await mock.close();
  });
});
