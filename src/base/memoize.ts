/**
 * A function that computes the value of each key once and keeps it.
 *
 * @param limit - How many values are kept, where clients choose the keys; those after them are computed each time.
 */
export function memoize<Key, Value>(compute: (key: Key) => Value, limit: number = Infinity): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const before = known.get(key);
    // `has` tells an undefined value from a new key.
    if (before !== undefined || known.has(key)) return before as Value;
    const value = compute(key);
    if (known.size < limit) known.set(key, value);
    return value;
  };
}

/** Keys that clients choose: how many are kept, and of how many characters. */
const MAX_TEXTS = 1000;
const MAX_TEXT = 100;

/** As `memoize`, for keys that clients choose: values of long keys, and of those after the first thousand, are computed each time. */
export function memoizeText<Value>(compute: (key: string) => Value): (key: string) => Value {
  const find = memoize(compute, MAX_TEXTS);
  return (key) => (key.length > MAX_TEXT ? compute(key) : find(key));
}

/** As `memoize`, for keys that are objects, such as sessions: the value of one is freed with it. */
export function memoizeOf<Key extends object, Value extends object>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}
