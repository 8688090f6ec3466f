/** A function that computes the value of each key once and keeps it. */
export function memoize<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const before = known.get(key);
    // `has` tells an undefined value from a new key.
    if (before !== undefined || known.has(key)) return before as Value;
    const value = compute(key);
    known.set(key, value);
    return value;
  };
}
