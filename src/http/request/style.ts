import { setOwn } from '../../contract/json.js';
import type { ParameterStyle } from '../../contract/operations/operation.js';
import type { ViolationCode } from '../../schema/violation.js';
import type { TextTree } from '../text.js';

/** What a parameter's schema lets its text be. */
export type TextShape = 'text' | 'list' | 'names';

/** How the text of one value is written. */
export interface StyleRules {
  readonly name: string;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  /** Undefined where the text cannot be decoded. */
  readonly decode: (raw: string) => string | undefined;
}

/** Raised inside this folder where a text is not written in its style; never leaves a reader. */
export class StyleError extends Error {
  readonly code: ViolationCode;

  constructor(message: string, code: ViolationCode = 'PARAMETER_MALFORMED') {
    super(message);
    this.code = code;
  }
}

/**
 * Reads a value that stands in one text: a path segment, a header, or one unexploded query or cookie value.
 *
 * Delimiters are those of the raw text; an encoded one is data (OpenAPI 3.1, Style Values and appendix C).
 * @throws StyleError for a text in another style, or one that cannot be decoded.
 */
export function readStyled(raw: string, shape: TextShape, rules: StyleRules): TextTree {
  const { style } = rules;
  if (style === 'label') return readLabel(raw, shape, rules);
  if (style === 'matrix') return readMatrix(raw, shape, rules);
  if (shape === 'text') return decoded(raw, rules);
  const parts = splitRaw(raw, style);
  if (shape === 'list') return parts.map((part) => decoded(part, rules));
  return style === 'simple' && rules.explode ? readNamed(parts, rules) : readAlternating(parts, rules);
}

/** Splits raw text at the delimiter of its style; empty text has no parts. */
export function splitRaw(raw: string, style: ParameterStyle): readonly string[] {
  if (raw === '') return [];
  // A space cannot stand raw in a URL: it comes as %20 or, from form encoders, as +.
  if (style === 'spaceDelimited') return raw.split(/%20|\+| /);
  if (style === 'pipeDelimited') return raw.split(/\||%7[Cc]/);
  return raw.split(',');
}

/** `.blue`, `.blue,black` or exploded `.blue.black`, `.R=100.G=200` (RFC 6570 section 3.2.5). */
function readLabel(raw: string, shape: TextShape, rules: StyleRules): TextTree {
  if (!raw.startsWith('.')) throw new StyleError(`must begin with "." (style label)`);
  const text = raw.slice(1);
  if (shape === 'text') return decoded(text, rules);
  const parts = text === '' ? [] : text.split(rules.explode ? '.' : ',');
  if (shape === 'list') return parts.map((part) => decoded(part, rules));
  return rules.explode ? readNamed(parts, rules) : readAlternating(parts, rules);
}

/** `;color=blue`, `;color=blue,black` or exploded `;color=blue;color=black`, `;R=100;G=200` (RFC 6570 section 3.2.7). */
function readMatrix(raw: string, shape: TextShape, rules: StyleRules): TextTree {
  if (!raw.startsWith(';')) throw new StyleError(`must begin with ";${rules.name}=" (style matrix)`);
  const parts = raw.slice(1).split(';');
  if (shape === 'names' && rules.explode) return readNamed(parts, rules);
  const values = parts.map((part) => {
    const equals = part.indexOf('=');
    const name = equals === -1 ? part : part.slice(0, equals);
    if (decoded(name, rules) !== rules.name)
      throw new StyleError(`must be written as ";${rules.name}=…" (style matrix)`);
    return equals === -1 ? '' : part.slice(equals + 1);
  });
  if (shape === 'list' && rules.explode) return values.map((value) => decoded(value, rules));
  const only = values[0];
  if (values.length > 1 || only === undefined) throw new StyleError('must be given once (style matrix)');
  if (shape === 'text') return decoded(only, rules);
  const items = only === '' ? [] : only.split(',');
  return shape === 'list' ? items.map((item) => decoded(item, rules)) : readAlternating(items, rules);
}

/** `R=100`, `G=200`: names with values. */
function readNamed(parts: readonly string[], rules: StyleRules): TextTree {
  const tree: Record<string, TextTree> = {};
  for (const part of parts) {
    const equals = part.indexOf('=');
    if (equals === -1) throw new StyleError(`must be written as name=value pairs, and ${JSON.stringify(part)} is none`);
    setOwn(tree, decoded(part.slice(0, equals), rules), decoded(part.slice(equals + 1), rules));
  }
  return tree;
}

/** `R`, `100`, `G`, `200`: names and values by turns. */
function readAlternating(parts: readonly string[], rules: StyleRules): TextTree {
  if (parts.length % 2 === 1)
    throw new StyleError('must be written as names and values by turns, and one value is missing');
  const tree: Record<string, TextTree> = {};
  for (let i = 0; i < parts.length; i += 2) {
    setOwn(tree, decoded(parts[i] ?? '', rules), decoded(parts[i + 1] ?? '', rules));
  }
  return tree;
}

function decoded(raw: string, rules: StyleRules): string {
  return decodeOrThrow(raw, rules.decode);
}

/** Decodes one text. @throws StyleError where it cannot be decoded. */
export function decodeOrThrow(raw: string, decode: StyleRules['decode']): string {
  const text = decode(raw);
  if (text !== undefined) return text;
  throw new StyleError('is percent-encoded in a way that cannot be decoded', 'ENCODING_MALFORMED');
}
