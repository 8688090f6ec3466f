/** The text of a TypeScript type, and how its outermost operator binds. `indent` indents its lines. */
export interface TypeExpression {
  readonly text: string;
  readonly operator?: '|' | '&';
}

/** A member of an object type. */
export interface Member {
  readonly name: string;
  readonly type: TypeExpression;
  readonly isOptional?: boolean;
  readonly isReadonly?: boolean;
  /** The lines of its comment. */
  readonly comment?: readonly string[];
}

export const NEVER: TypeExpression = { text: 'never' };
export const UNKNOWN: TypeExpression = { text: 'unknown' };

/** A union or an intersection of the different types; undefined of none. */
export function join(types: readonly TypeExpression[], operator: '|' | '&'): TypeExpression | undefined {
  const unique = [...new Map(types.map((type) => [type.text, type])).values()];
  if (unique.length < 2) return unique[0];
  // `&` binds more tightly than `|`.
  const texts = unique.map((type) => (operator === '&' && type.operator === '|' ? `(${type.text})` : type.text));
  return { text: texts.join(` ${operator} `), operator };
}

/** An array of items. */
export function toArray({ text, operator }: TypeExpression): TypeExpression {
  return { text: `${operator === undefined ? text : `(${text})`}[]` };
}

/** The type of one JSON value. */
export function toLiteral(value: unknown): TypeExpression {
  if (Array.isArray(value)) return { text: `[${value.map((item) => toLiteral(item).text).join(', ')}]` };
  if (typeof value !== 'object' || value === null) return { text: JSON.stringify(value) };
  const members = Object.entries(value).map(([name, member]) => `${toName(name)}: ${toLiteral(member).text}`);
  return { text: members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }` };
}

/** A property of a type: `components["schemas"]["Pet"]` of its names. */
export function toAccess(first: string, ...names: readonly string[]): TypeExpression {
  return { text: first + names.map((name) => `[${JSON.stringify(name)}]`).join('') };
}

/** An object type with a line for each member. @param index - An index signature. */
export function toObject(members: readonly Member[], index = ''): TypeExpression {
  const lines = members.map(({ name, type, isOptional = false, isReadonly = false, comment = [] }) => {
    const declared = `${isReadonly ? 'readonly ' : ''}${toName(name)}${isOptional ? '?' : ''}`;
    return `${toComment(comment)}${declared}: ${type.text};\n`;
  });
  return { text: `{\n${lines.join('')}${index}}` };
}

/** The name of a property: an identifier, an integer, or a quoted string. */
function toName(name: string): string {
  return /^(?:[A-Za-z_$][\w$]*|0|[1-9]\d{0,14})$/u.test(name) ? name : JSON.stringify(name);
}

/** A JSDoc comment of these lines; empty for none. */
export function toComment(comment: readonly string[]): string {
  const lines = comment
    .join('\n')
    .replaceAll('*/', String.raw`*\/`)
    .trimEnd()
    .split(/\r\n|[\r\n\u2028\u2029]/u)
    .map((line) => line.trimEnd());
  if (lines.length > 1) return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
  return lines[0] === '' ? '' : `/** ${lines[0]?.trim()} */\n`;
}

/** Indents lines by the braces that are open. */
export function indent(text: string): string {
  let depth = 0;
  const lines = text.split('\n').map((line) => {
    if (line.startsWith('}')) depth--;
    const indented = line === '' ? '' : '  '.repeat(depth) + line;
    // The lines of a comment begin with a space.
    if (line.endsWith('{') && !line.startsWith(' ')) depth++;
    return indented;
  });
  return lines.join('\n');
}
