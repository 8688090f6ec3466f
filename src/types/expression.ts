/** The text of a TypeScript type, and how its outermost operator binds. */
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
export const NULL: TypeExpression = { text: 'null' };
export const UNKNOWN: TypeExpression = { text: 'unknown' };

/** A union of the different types; `never` of none. */
export function toUnion(types: readonly TypeExpression[]): TypeExpression {
  return join(types, '|') ?? NEVER;
}

/** An intersection of the different types; undefined of none. */
export function toIntersection(types: readonly TypeExpression[]): TypeExpression | undefined {
  return join(types, '&');
}

function join(types: readonly TypeExpression[], operator: '|' | '&'): TypeExpression | undefined {
  const unique = [...new Map(types.map((type) => [type.text, type])).values()];
  const [first, ...others] = unique;
  if (first === undefined || others.length === 0) return first;
  // `&` binds more tightly than `|`.
  const texts = unique.map((type) => (operator === '&' && type.operator === '|' ? `(${type.text})` : type.text));
  return { text: texts.join(` ${operator} `), operator };
}

/** An array of items. */
export function toArray(items: TypeExpression): TypeExpression {
  return { text: `${items.operator === undefined ? items.text : `(${items.text})`}[]` };
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

/** An object type over several lines. @param depth - The level of indentation of the line that it starts on. */
export function toObject(members: readonly Member[], depth: number, index?: string): TypeExpression {
  const indent = '  '.repeat(depth + 1);
  const lines = members.map(({ name, type, isOptional = false, isReadonly = false, comment = [] }) => {
    const declared = `${isReadonly ? 'readonly ' : ''}${toName(name)}${isOptional ? '?' : ''}`;
    return `${toComment(comment, indent)}${indent}${declared}: ${type.text};\n`;
  });
  if (index !== undefined) lines.push(`${indent}${index};\n`);
  return { text: `{\n${lines.join('')}${'  '.repeat(depth)}}` };
}

/** The name of a property: an identifier, an integer, or a quoted string. */
function toName(name: string): string {
  return /^(?:[A-Za-z_$][\w$]*|0|[1-9]\d{0,14})$/u.test(name) ? name : JSON.stringify(name);
}

/** A JSDoc comment of these lines; empty for none. */
export function toComment(lines: readonly string[], indent: string): string {
  const texts = lines
    .flatMap((line) => line.split(/\r\n|[\r\n\u2028\u2029]/u))
    .map((line) => line.trimEnd().replaceAll('*/', String.raw`*\/`));
  while (texts.at(-1) === '') texts.pop();
  if (texts.length === 0) return '';
  if (texts.length === 1) return `${indent}/** ${texts[0]?.trim()} */\n`;
  return `${indent}/**\n${texts.map((text) => `${indent} *${text === '' ? '' : ` ${text}`}\n`).join('')}${indent} */\n`;
}
