/**
 * Pairs by name, in the order in which the names came; the values of a name that came more than once are a list.
 *
 * Names are the client's to choose: one called `constructor` or `__proto__` is a name like any other.
 */
export function joinRepeated(
  pairs: Iterable<readonly [name: string, value: string]>,
): Readonly<Record<string, string | readonly string[]>> {
  const values = new Map<string, [string, ...string[]]>();
  for (const [name, value] of pairs) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return Object.fromEntries([...values].map(([name, list]) => [name, list.length === 1 ? list[0] : list]));
}
