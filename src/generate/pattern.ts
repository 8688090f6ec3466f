/**
 * A pattern of a schema as a RegExp, the way the validator reads it: with the `u` flag only where `\p{` or `\u{` need it,
 * then with it, and undefined where no engine of ours can read it.
 */
export function toRegExp(source: string): RegExp | undefined {
  const flags = /\\[pP]\{|\\u\{/.test(source) ? ['u', ''] : ['', 'u'];
  for (const flag of flags) {
    try {
      return new RegExp(source, flag);
    } catch {
      // The next flag may read it.
    }
  }
  return undefined;
}
