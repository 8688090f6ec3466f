import { setOwn } from '../../base/json.js';
import type { ParameterStyle } from '../../contract/operations/operation.js';
import type { ViolationCode } from '../../schema/violation.js';
import type { TextTree } from '../text.js';

/** A form that the schema of a parameter allows: one value, an array or an object. */
export type TextShape = 'text' | 'list' | 'names';

/** The serialization of one parameter. */
export interface StyleRules {
  readonly name: string;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  /** Returns undefined for a string that cannot be decoded. */
  readonly decode: (raw: string) => string | undefined;
}

/** Thrown inside this folder for a string that is not in its style, and always caught there. */
export class StyleError extends Error {
  readonly code: ViolationCode;

  constructor(message: string, code: ViolationCode = 'PARAMETER_MALFORMED') {
    super(message);
    this.code = code;
  }
}

/** How one style serializes values. */
interface StyleDefinition {
  /** Between the items of an array and the names and values of an object. */
  readonly delimiter: string | RegExp;
  /** Reads a value; `readDelimited` where this is missing. */
  readonly read?: (raw: string, shape: TextShape, rules: StyleRules) => TextTree;
}

/** OpenAPI 3.1 section 4.8.12.3, Style Values; an entry per style. */
const STYLES: Readonly<Record<ParameterStyle, StyleDefinition>> = {
  simple: { delimiter: ',' },
  label: { delimiter: ',', read: readLabel },
  matrix: { delimiter: ',', read: readMatrix },
  form: { delimiter: ',' },
  // A space in a URL is %20 or, from form encoders, +.
  spaceDelimited: { delimiter: /%20|\+| / },
  pipeDelimited: { delimiter: /\||%7[Cc]/ },
  deepObject: { delimiter: ',' },
  cookie: { delimiter: ',' },
};

/**
 * Reads a value from one string: a path segment, a header, or one unexploded query or cookie value.
 *
 * The string is split before it is decoded: an encoded delimiter is data (OpenAPI 3.1, Style Values and appendix C).
 * @throws StyleError for a string in another style, or one that cannot be decoded.
 */
export function readStyled(raw: string, shape: TextShape, rules: StyleRules): TextTree {
  return (STYLES[rules.style].read ?? readDelimited)(raw, shape, rules);
}

/** Splits a raw string at the delimiter of its style; an empty string has no parts. */
export function splitRaw(raw: string, style: ParameterStyle): readonly string[] {
  return raw === '' ? [] : raw.split(STYLES[style].delimiter);
}

function readDelimited(raw: string, shape: TextShape, rules: StyleRules): TextTree {
  if (shape === 'text') return decoded(raw, rules);
  const parts = splitRaw(raw, rules.style);
  if (shape === 'list' || rules.style === 'simple') return readParts(parts, shape, rules);
  return readAlternating(parts, rules);
}

/** The items of an array, or the names and values of an object. */
function readParts(parts: readonly string[], shape: TextShape, rules: StyleRules): TextTree {
  if (shape === 'list') return parts.map((part) => decoded(part, rules));
  return rules.explode ? readNamed(parts, rules) : readAlternating(parts, rules);
}

/** `.blue`, `.blue,black` or exploded `.blue.black`, `.R=100.G=200` (RFC 6570 section 3.2.5). */
function readLabel(raw: string, shape: TextShape, rules: StyleRules): TextTree {
  if (!raw.startsWith('.')) throw new StyleError(`must start with "." (style label)`);
  const text = raw.slice(1);
  if (shape === 'text') return decoded(text, rules);
  return readParts(text === '' ? [] : text.split(rules.explode ? '.' : ','), shape, rules);
}

/** `;color=blue`, `;color=blue,black` or exploded `;color=blue;color=black`, `;R=100;G=200` (RFC 6570 section 3.2.7). */
function readMatrix(raw: string, shape: TextShape, rules: StyleRules): TextTree {
  if (!raw.startsWith(';')) throw new StyleError(`must start with ";${rules.name}=" (style matrix)`);
  const parts = raw.slice(1).split(';');
  if (shape === 'names' && rules.explode) return readNamed(parts, rules);
  const values = parts.map((part) => {
    const equals = part.indexOf('=');
    const name = equals === -1 ? part : part.slice(0, equals);
    if (decoded(name, rules) !== rules.name)
      throw new StyleError(`must have the form ";${rules.name}=…" (style matrix)`);
    return equals === -1 ? '' : part.slice(equals + 1);
  });
  if (shape === 'list' && rules.explode) return values.map((value) => decoded(value, rules));
  const only = values[0];
  if (values.length > 1 || only === undefined) throw new StyleError('must be given once (style matrix)');
  if (shape === 'text') return decoded(only, rules);
  // An exploded array or object has returned above.
  return readParts(only === '' ? [] : only.split(','), shape, rules);
}

/** `R=100`, `G=200`. */
function readNamed(parts: readonly string[], rules: StyleRules): TextTree {
  const members = parts.map((part) => {
    const equals = part.indexOf('=');
    if (equals === -1) throw new StyleError(`must be name=value pairs, got ${JSON.stringify(part)}`);
    return [decoded(part.slice(0, equals), rules), decoded(part.slice(equals + 1), rules)] as const;
  });
  return Object.fromEntries(members);
}

/** `R`, `100`, `G`, `200`. */
function readAlternating(parts: readonly string[], rules: StyleRules): TextTree {
  if (parts.length % 2 === 1)
    throw new StyleError('must be alternating names and values, but the last value is missing');
  const tree: Record<string, TextTree> = {};
  for (let i = 0; i < parts.length; i += 2) {
    setOwn(tree, decoded(parts[i] ?? '', rules), decoded(parts[i + 1] ?? '', rules));
  }
  return tree;
}

function decoded(raw: string, rules: StyleRules): string {
  return decodeOrThrow(raw, rules.decode);
}

/** Decodes one string. @throws StyleError where it cannot be decoded. */
export function decodeOrThrow(raw: string, decode: StyleRules['decode']): string {
  const text = decode(raw);
  if (text !== undefined) return text;
  throw new StyleError('has malformed percent-encoding', 'ENCODING_MALFORMED');
}
