import type { RecordWrite } from './usage.js';

/** The methods of a collection that change it, of which the arguments are plain data. */
interface RecordedMethods {
  add(...args: never[]): unknown;
  update(id: string, change: object, scope?: string): unknown;
  remove(...args: never[]): unknown;
  rename(...args: never[]): unknown;
  dropScope(scope: string): unknown;
  nextNumber(): unknown;
  markSeeded(scope: string): unknown;
  sweep(what: string): unknown;
}

/** A collection whose writes other processes repeat. */
interface RecordedCollection extends RecordedMethods {
  readonly name: string;
  adopt(copy: { dump(): unknown }): void;
  dump(): unknown;
}

const METHODS = ['add', 'remove', 'rename', 'dropScope', 'nextNumber', 'markSeeded'] as const;

/**
 * Tells each write of a collection before it is made. Repeated in the same order on a collection that holds the same, the writes have the
 * same result: sequences, revisions and numbers are not part of them.
 *
 * @param sweep - As that of the collection, but can be undone.
 */
export function recordWrites<Collected extends RecordedCollection>(
  collection: Collected,
  record: RecordWrite,
  sweep: RecordedMethods['sweep'],
): Collected {
  const { name } = collection;
  const recorded = METHODS.map((method) => {
    // Each method has other arguments.
    const write = collection[method] as (...args: unknown[]) => unknown;
    const value = (...args: unknown[]): unknown => {
      record(name, method, args);
      return write(...args);
    };
    return [method, { value, enumerable: true }] as const;
  });
  const update = (id: string, change: object, scope = ''): unknown => {
    // JSON has no undefined: such members are named.
    const removed = Object.entries(change).flatMap(([key, value]) => (value === undefined ? [key] : []));
    record(name, 'update', [id, change, scope, removed]);
    return collection.update(id, change, scope);
  };
  const recordedSweep: RecordedMethods['sweep'] = (what) => {
    record(name, 'sweep', [what]);
    sweep(what);
  };
  const adopt: RecordedCollection['adopt'] = (copy) => {
    collection.adopt(copy);
    // What has been adopted, since the result depends on both.
    record(name, 'load', [collection.dump()]);
  };
  return Object.defineProperties(
    // Members that are computed stay so.
    Object.defineProperties({}, Object.getOwnPropertyDescriptors(collection)),
    {
      ...Object.fromEntries(recorded),
      update: { value: update, enumerable: true },
      adopt: { value: adopt, enumerable: true },
      sweep: { value: recordedSweep, enumerable: true },
    },
  ) as Collected;
}

/** A write as other processes repeat it. */
export function repeatWrite(
  collection: RecordedMethods & { load(dump: never): void },
  method: string,
  args: readonly unknown[],
): void {
  if (method === 'update') {
    // As `update` above has recorded them.
    const [id, change, scope, removed] = args as [string, object, string, readonly string[]];
    const missing = Object.fromEntries(removed.map((key) => [key, undefined]));
    collection.update(id, { ...change, ...missing }, scope);
    return;
  }
  // Recorded by one of the methods.
  const write = (collection as unknown as Record<string, ((...args: readonly unknown[]) => void) | undefined>)[method];
  write?.(...args);
}
