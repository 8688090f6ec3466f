import { setOwn } from '../../contract/json.js';
import type { Parameter } from '../../contract/operations/operation.js';
import type { Shape } from '../../schema/shape.js';
import type { SchemaCheck, Validators } from '../../schema/validate.js';
import {
  NO_VIOLATIONS,
  toError,
  hasErrors,
  toNotes,
  toUnusableNote,
  type Violation,
  type ViolationCode,
  type ViolationPlace,
} from '../../schema/violation.js';
import { isJsonType } from '../../contract/media-type.js';
import { decodeForm, decodePercent, type TextTree } from '../text.js';
import { type Coerce, isList } from './coerce.js';
import { StyleError, type StyleRules, type TextShape } from './style.js';

/**
 * How an SDK serializes arrays and objects in the query where it differs from the contract:
 * `a[]=1&a[b]=2`, `a.b=2`, `a=1,2` or `a=1&a=2`.
 */
export type QueryProfile = (typeof QUERY_PROFILES)[number];

/** The names of the query profiles. */
export const QUERY_PROFILES = ['brackets', 'dots', 'comma', 'repeat'] as const;

/** What parameter readers share, created once per contract. */
export interface ParameterParts {
  readonly validators: Validators;
  readonly shapes: (pointer: string) => Shape;
  readonly coerce: Coerce;
  readonly coerceLeniently: Coerce;
  readonly strict: boolean;
  readonly queryProfile: QueryProfile | undefined;
  /** Names of the query parameters that carry credentials. */
  readonly keysInQuery: ReadonlySet<string>;
}

/** One parameter, prepared for reading requests. */
export interface ParameterPlan {
  readonly parameter: Parameter;
  readonly place: ViolationPlace;
  readonly shape: Shape;
  /** What the schema allows, the simplest first. */
  readonly textShapes: readonly TextShape[];
  /** Whether an empty string can be an item of its array. */
  readonly takesEmptyItem: boolean;
  readonly check: SchemaCheck;
  readonly rules: StyleRules;
}

/** The results of `readParameter`. */
interface ReadResults {
  readonly values: Record<string, unknown>;
  readonly violations: Violation[];
  readonly parts: ParameterParts;
}

/** Prepares a parameter. */
export function createPlan(parameter: Parameter, parts: ParameterParts): ParameterPlan {
  const shape = parts.shapes(parameter.schemaPointer);
  return {
    parameter,
    place: parameter.in === 'querystring' ? 'query' : parameter.in,
    shape,
    textShapes: parameter.mediaType === undefined ? toTextShapes(shape) : ['text'],
    takesEmptyItem: shape.items !== undefined && parts.shapes(shape.items).types.has('string'),
    check: parts.validators.checkSent(parameter.schemaPointer),
    rules: { name: parameter.name, style: parameter.style, explode: parameter.explode, decode: toDecoder(parameter) },
  };
}

/** Reads, converts and validates one parameter, and adds its value and violations; the first valid interpretation is used. */
export function readParameter(plan: ParameterPlan, to: ReadResults, readTree: (shape: TextShape) => TextTree): void {
  const { parameter } = plan;
  choose(plan, to, readTree);
  if (to.parts.validators.isWhole(parameter.schemaPointer)) return;
  to.violations.push(toUnusableNote(plan.place, parameter.schemaPointer, parameter.name));
}

function choose(plan: ParameterPlan, to: ReadResults, readTree: (shape: TextShape) => TextTree): void {
  const { parameter } = plan;
  let refused: readonly Violation[] | undefined;
  let kept: unknown;
  for (const textShape of plan.textShapes) {
    try {
      const tree = readTree(textShape);
      const isDocument = parameter.mediaType !== undefined && typeof tree === 'string';
      const { value, mistake } = isDocument
        ? readContent(parameter, tree)
        : { value: to.parts.coerce(tree, parameter.schemaPointer) };
      const found =
        mistake === undefined
          ? plan.check(value, plan.place, parameter.name)
          : [toParameterError(plan, 'PARAMETER_MALFORMED', mistake)];
      if (!hasErrors(found)) {
        setOwn(to.values, parameter.name, value);
        to.violations.push(...found);
        return;
      }
      if (isDocument ? acceptText(plan, to, tree) : acceptLeniently(plan, to, { tree, found })) return;
      // Without a valid interpretation, the first one that could be read has the violations.
      if (refused === undefined || kept === undefined) [refused, kept] = [found, value];
    } catch (error) {
      if (!(error instanceof StyleError)) throw error;
      refused ??= [toParameterError(plan, error.code, error.message)];
    }
  }
  if (kept !== undefined) setOwn(to.values, parameter.name, kept);
  to.violations.push(...(refused ?? NO_VIOLATIONS));
}

/** Accepts a value that is valid as services read it: a list whose commas are percent-encoded, `True` for a boolean. */
function acceptLeniently(
  plan: ParameterPlan,
  to: ReadResults,
  refused: { readonly tree: TextTree; readonly found: readonly Violation[] },
): boolean {
  const { parameter } = plan;
  if (to.parts.strict) return false;
  const split = parameter.explode ? undefined : splitItems(refused.tree);
  const value = to.parts.coerceLeniently(split ?? refused.tree, parameter.schemaPointer);
  if (hasErrors(plan.check(value, plan.place, parameter.name))) return false;
  setOwn(to.values, parameter.name, value);
  const says = 'has items that are separated by percent-encoded commas; they were split';
  const reports = split === undefined ? refused.found : [toParameterError(plan, 'PARAMETER_MALFORMED', says)];
  to.violations.push(...toNotes(reports));
  return true;
}

/** Accepts a string that is not written as JSON, although its parameter is a JSON document: `red` for `"red"`. */
function acceptText(plan: ParameterPlan, to: ReadResults, text: string): boolean {
  const { parameter, place, shape } = plan;
  if (to.parts.strict || !shape.types.has('string')) return false;
  if (hasErrors(plan.check(text, place, parameter.name))) return false;
  setOwn(to.values, parameter.name, text);
  const says = `must be a JSON string, got ${JSON.stringify(text.slice(0, 60))}; it was read as text`;
  to.violations.push(...toNotes([toParameterError(plan, 'PARAMETER_MALFORMED', says)]));
  return true;
}

/** A list with the items that are joined by commas, split; undefined where there are none. */
function splitItems(tree: TextTree): TextTree | undefined {
  if (!isList(tree)) return undefined;
  const isJoined = (item: unknown): item is string => typeof item === 'string' && item.includes(',');
  if (!tree.some(isJoined)) return undefined;
  return tree.flatMap((item): readonly TextTree[] => (isJoined(item) ? item.split(',') : [item]));
}

/** Headers that a client cannot set itself, and that requests in this process and in HTTP/2 or in chunks do not have. */
const OF_TRANSPORT = /^(content-length|host|transfer-encoding)$/i;

/** Reports a missing parameter where it is required. */
export function requireParameter(plan: ParameterPlan, violations: Violation[]): void {
  if (!plan.parameter.required || (plan.place === 'header' && OF_TRANSPORT.test(plan.parameter.name))) return;
  violations.push(toParameterError(plan, 'REQUIRED', 'is required'));
}

function toParameterError({ parameter, place }: ParameterPlan, code: ViolationCode, says: string): Violation {
  const { name, pointer: schemaPointer } = parameter;
  const noun = place === 'header' || place === 'cookie' ? place : `${place} parameter`;
  return toError({ code, in: place, name, message: `${noun} "${name}" ${says}`, schemaPointer });
}

function toTextShapes({ types }: Shape): readonly TextShape[] {
  const isScalar = [...types].some((type) => type !== 'array' && type !== 'object' && type !== 'null');
  const shapes: TextShape[] = isScalar || types.size === 0 || (types.size === 1 && types.has('null')) ? ['text'] : [];
  if (types.has('array')) shapes.push('list');
  if (types.has('object')) shapes.push('names');
  return shapes;
}

function toDecoder(parameter: Parameter): StyleRules['decode'] {
  // OpenAPI 3.1, appendix D: header values are not percent-encoded.
  if (parameter.in === 'header') return (raw) => raw.trim();
  return parameter.in === 'query' ? decodeForm : decodePercent;
}

/** A parameter with `content`: one serialized document. */
function readContent({ mediaType }: Parameter, text: string): { readonly value: unknown; readonly mistake?: string } {
  if (!isJsonType(mediaType ?? '')) return { value: text };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { value: undefined, mistake: `must be valid JSON, got ${JSON.stringify(text.slice(0, 60))}` };
  }
}
