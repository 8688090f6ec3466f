import { setOwn } from '../../contract/json.js';
import type { Parameter } from '../../contract/operations/operation.js';
import type { Shape } from '../../schema/shape.js';
import type { SchemaCheck, Validators } from '../../schema/validate.js';
import { NO_VIOLATIONS, toError, toUnusableNote, type Violation, type ViolationPlace } from '../../schema/violation.js';
import { isJsonType } from '../media-type.js';
import { decodeForm, decodePercent, type TextTree } from '../text.js';
import type { Coerce } from './coerce.js';
import { StyleError, type StyleRules, type TextShape } from './style.js';

/**
 * How a vendor's SDK writes lists and objects into a query, where that is not what the contract says:
 * `a[]=1&a[b]=2`, `a.b=2`, `a=1,2` or `a=1&a=2`.
 */
export type QueryProfile = 'brackets' | 'dots' | 'comma' | 'repeat';

/** What reading parameters needs, made once per contract. */
export interface ParameterParts {
  readonly validators: Validators;
  readonly shapes: (pointer: string) => Shape;
  readonly coerce: Coerce;
  readonly strict: boolean;
  readonly queryProfile: QueryProfile | undefined;
  /** Names of the query parameters that carry credentials. */
  readonly keysInQuery: ReadonlySet<string>;
}

/** One parameter with what is known of it before any request. */
export interface ParameterPlan {
  readonly parameter: Parameter;
  readonly place: ViolationPlace;
  readonly shape: Shape;
  /** How its text may be taken apart, the plainest first. */
  readonly textShapes: readonly TextShape[];
  /** Whether an empty text may be an item of its list. */
  readonly takesEmptyItem: boolean;
  readonly check: SchemaCheck;
  readonly rules: StyleRules;
}

/** What `settle` writes to. */
interface Settling {
  readonly values: Record<string, unknown>;
  readonly violations: Violation[];
  readonly parts: ParameterParts;
}

/** Looks once at what the contract says of a parameter. */
export function createPlan(parameter: Parameter, parts: ParameterParts): ParameterPlan {
  const shape = parts.shapes(parameter.schemaPointer);
  return {
    parameter,
    place: parameter.in === 'querystring' ? 'query' : parameter.in,
    shape,
    textShapes: parameter.mediaType === undefined ? toTextShapes(shape) : ['text'],
    takesEmptyItem: shape.items !== undefined && parts.shapes(shape.items).types.has('string'),
    check: parts.validators.check(parameter.schemaPointer, 'request'),
    rules: { name: parameter.name, style: parameter.style, explode: parameter.explode, decode: toDecoder(parameter) },
  };
}

/** Reads, coerces and checks one parameter's value, and files it with its violations; the first reading that is valid counts. */
export function settle(plan: ParameterPlan, to: Settling, readTree: (shape: TextShape) => TextTree): void {
  const { parameter } = plan;
  choose(plan, to, readTree);
  if (to.parts.validators.isWhole(parameter.schemaPointer)) return;
  to.violations.push(toUnusableNote(plan.place, parameter.schemaPointer, parameter.name));
}

function choose(plan: ParameterPlan, to: Settling, readTree: (shape: TextShape) => TextTree): void {
  const { parameter } = plan;
  let refused: readonly Violation[] | undefined;
  let kept: unknown;
  for (const textShape of plan.textShapes) {
    try {
      const tree = readTree(textShape);
      const isDocument = parameter.mediaType !== undefined && typeof tree === 'string';
      const value = isDocument ? readContent(parameter, tree) : to.parts.coerce(tree, parameter.schemaPointer);
      const found = plan.check(value, plan.place, parameter.name);
      if (found.length === 0) {
        setOwn(to.values, parameter.name, value);
        return;
      }
      // Of several readings that fail, the one that could at least be read says what is wrong.
      if (refused === undefined || kept === undefined) [refused, kept] = [found, value];
    } catch (error) {
      if (!(error instanceof StyleError)) throw error;
      refused ??= [toStyleViolation(plan, error)];
    }
  }
  if (kept !== undefined) setOwn(to.values, parameter.name, kept);
  to.violations.push(...(refused ?? NO_VIOLATIONS));
}

/** Files the absence of a parameter, if that is a departure. */
export function demand(plan: ParameterPlan, violations: Violation[]): void {
  const { parameter, place } = plan;
  if (!parameter.required) return;
  const message = `${toPlaceWords(plan)} is required`;
  violations.push(
    toError({ code: 'REQUIRED', in: place, name: parameter.name, message, schemaPointer: parameter.pointer }),
  );
}

/** `query parameter "limit"`. */
function toPlaceWords({ parameter, place }: ParameterPlan): string {
  const noun = place === 'header' || place === 'cookie' ? place : `${place} parameter`;
  return `${noun} "${parameter.name}"`;
}

function toStyleViolation(plan: ParameterPlan, error: StyleError): Violation {
  return toError({
    code: error.code,
    in: plan.place,
    name: plan.parameter.name,
    message: `${toPlaceWords(plan)} ${error.message}`,
    schemaPointer: plan.parameter.pointer,
  });
}

function toTextShapes({ types }: Shape): readonly TextShape[] {
  const scalar =
    types.size === 0 || [...types].some((type) => type !== 'array' && type !== 'object' && type !== 'null');
  return [
    ...(scalar ? (['text'] as const) : []),
    ...(types.has('array') ? (['list'] as const) : []),
    ...(types.has('object') ? (['names'] as const) : []),
    ...(types.size === 1 && types.has('null') ? (['text'] as const) : []),
  ];
}

function toDecoder(parameter: Parameter): StyleRules['decode'] {
  // OpenAPI 3.1, appendix D: header values are not percent-encoded; list items may stand after a space.
  if (parameter.in === 'header') return (raw) => raw.trim();
  return parameter.in === 'query' ? decodeForm : decodePercent;
}

/** A parameter with `content`: one serialized document. */
function readContent({ mediaType }: Parameter, text: string): unknown {
  if (!isJsonType(mediaType ?? '')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new StyleError(`must be JSON, and ${JSON.stringify(text.slice(0, 60))} is not`);
  }
}
