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
