/** Finds the id that an operation has in the new contract; undefined if it is gone. */
export type FindRenamed = (id: string) => string | undefined;

/** The smallest change that a violation asks for, from its sentence: `add "currency"`. */
export function toRepair(message: string, findRenamed: FindRenamed): string {
  const [, operation] = /operation "([^"]+)" is not in the contract/.exec(message) ?? [];
  if (operation !== undefined) {
    const renamed = findRenamed(operation);
    return renamed === undefined ? `remove "${operation}"` : `rename "${operation}" to "${renamed}"`;
  }
  for (const [pattern, write] of REPAIRS) {
    const match = pattern.exec(message);
    if (match !== null) return write(match[1] ?? '', match[2] ?? '');
  }
  return `change it: ${message}`;
}

/** The sentences of violations, scenarios and fixtures, and what repairs each. */
const REPAIRS: readonly (readonly [RegExp, (first: string, second: string) => string])[] = [
  [/media type "[^"]*" is not declared .*, which declares (.+)/, (types) => `use ${types}`],
  [/^(?:request|the request) has no body|requires a body|the answer has no body/, () => 'add a body'],
  [/"([^"]+)" is required/, (name) => `add ${quoteLast(name)}`],
  [/has no field "([^"]+)"/, (name) => `remove "${name}"`],
  [
    /"([^"]+)" (?:is not allowed|must not be present|is read-only|is write-only|is not declared)/,
    (name) => `remove ${quoteLast(name)}`,
  ],
  [/"([^"]+)" must (.+?), got/, (name, rule) => `change ${quoteLast(name)}: it must ${rule}`],
  [/no operation of the contract has .*; there is (.+)/, (path) => `send it to ${path}`],
  [/no operation of the contract has/, () => 'remove it'],
  [/^collection|has no collection/, () => 'rename or remove the file'],
  [/status \d+ is not declared by .*, which declares (.+)/, (statuses) => `answer with one of ${statuses}`],
];

/** The last name of a path such as `items[0].name`. */
function quoteLast(path: string): string {
  return `"${path.split('.').at(-1) ?? path}"`;
}
