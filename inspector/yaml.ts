/** Texts that YAML 1.1 or 1.2 reads as something else than a string. */
const NOT_STRING = /^(?:true|false|yes|no|on|off|null|y|n|~|[-+.]?\d.*)$/i;
/** A string that needs no quotes, as a value and as a name. */
const PLAIN = /^[A-Za-z/$_][\w./$ -]*$/;

/** A value as YAML, in block style. */
export function writeYaml(value: unknown): string {
  return `${writeBlock(value, '').replace(/^\n/, '')}\n`;
}

/** A string as YAML. */
export function writeScalar(value: unknown): string {
  const isPlain = typeof value === 'string' && PLAIN.test(value) && !NOT_STRING.test(value) && value.trim() === value;
  return isPlain ? value : JSON.stringify(value);
}

/** What follows a name or a hyphen: a scalar after a space, or lines with an indentation. */
function writeBlock(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []';
    return value.map((item) => `\n${indent}-${toInline(writeBlock(item, `${indent}  `), indent)}`).join('');
  }
  if (typeof value !== 'object' || value === null) return ` ${writeScalar(value)}`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return ' {}';
  return members
    .map(([name, member]) => `\n${indent}${writeScalar(name)}:${writeBlock(member, `${indent}  `)}`)
    .join('');
}

/** A block after a hyphen begins in the same line. */
function toInline(block: string, indent: string): string {
  return block.startsWith('\n') ? ` ${block.slice(1 + indent.length + 2)}` : block;
}

/** Where a position in a YAML text is: the names around it, and the word before it. */
export interface YamlPlace {
  readonly path: readonly string[];
  readonly isName: boolean;
  /** What was written of the name or of the value. */
  readonly word: string;
  /** Names that the mapping has already. */
  readonly taken: ReadonlySet<string>;
}

/** A mapping or an item of a sequence that is open at a position. */
interface Level {
  readonly indent: number;
  readonly isItem: boolean;
  name: string;
  readonly names: Set<string>;
}

const NAME = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#'"{}[\],&|>%@`][^:#]*?)\s*:(?=\s|$)/;

/** Finds the place of a position in block style; in a value in flow style, `word` is all of the value before the position. */
export function readYamlPlace(text: string, at: number): YamlPlace {
  const lines = text.slice(0, at).split('\n');
  const current = lines.pop() ?? '';
  const levels: Level[] = [];
  for (const line of lines) if (/^\s*[^\s#]/.test(line)) enter(levels, line);
  const rest = enter(levels, current);
  const path = levels.map(({ name }) => name);
  if (rest.value !== undefined) return { path, isName: false, word: rest.value, taken: new Set() };
  const top = levels.at(-1);
  const isSibling = top !== undefined && !top.isItem && top.indent === rest.indent;
  const taken = isSibling ? top.names : new Set<string>();
  return { path: isSibling ? path.slice(0, -1) : path, isName: true, word: rest.word, taken };
}

/** Reads one line: closes what it ends, and opens what it begins. */
function enter(levels: Level[], line: string): { indent: number; word: string; value?: string } {
  let indent = /^ */.exec(line)?.[0].length ?? 0;
  for (let item = /^-(?: +|$)/.exec(line.slice(indent)); item !== null; item = /^-(?: +|$)/.exec(line.slice(indent))) {
    // A sequence can have the indentation of the name that it belongs to.
    close(levels, (level) => level.indent > indent || (level.indent === indent && level.isItem));
    levels.push({ indent, isItem: true, name: '0', names: new Set() });
    indent += item[0].length;
  }
  close(levels, (level) => level.indent > indent || (level.indent === indent && level.isItem));
  const rest = line.slice(indent);
  const [found, quoted = ''] = NAME.exec(rest) ?? [];
  if (found === undefined) return { indent, word: rest };
  const name = quoted.replace(/^(["'])(.*)\1$/, '$2');
  const top = levels.at(-1);
  if (top !== undefined && !top.isItem && top.indent === indent) {
    top.name = name;
    top.names.add(name);
  } else levels.push({ indent, isItem: false, name, names: new Set([name]) });
  return { indent, word: '', value: rest.slice(found.length).trimStart() };
}

function close(levels: Level[], ends: (level: Level) => boolean): void {
  for (let level = levels.at(-1); level !== undefined && ends(level); level = levels.at(-1)) levels.pop();
}
