import type { Operation, Parameter } from '../../contract/operations/operation.js';
import { toBareName } from '../../contract/names.js';
import { toNotes, type Violation } from '../../schema/violation.js';
import { decodePercent, type TextTree } from '../text.js';
import {
  createPlan,
  requireParameter,
  type ParameterParts,
  type ParameterPlan,
  readParameter,
} from './parameter-plan.js';
import { createQueryReader } from './query.js';
import type { RequestHeaders } from '../request-headers.js';
import { decodeOrThrow, readStyled, type TextShape } from './style.js';

/** The parameters of one call, by place and name. */
export interface ParameterValues {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly header: Readonly<Record<string, unknown>>;
  readonly cookie: Readonly<Record<string, unknown>>;
}

/** The parts of a request with parameters. */
interface ParameterSource {
  /** By name, still percent-encoded. */
  readonly pathText: Readonly<Record<string, string>>;
  /** The query without `?`, as received. */
  readonly search: string;
  readonly headers: RequestHeaders;
  /** Those that were accepted, by scheme. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** Decodes and validates all parameters of one operation; violations are pushed to the array. */
type ParametersReader = (source: ParameterSource, violations: Violation[]) => ParameterValues;

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

/** Creates the parameter reader of an operation. */
export function createParametersReader(operation: Operation, parts: ParameterParts): ParametersReader {
  const plansIn = (place: Parameter['in']): readonly ParameterPlan[] =>
    operation.parameters.filter((parameter) => parameter.in === place).map((parameter) => createPlan(parameter, parts));
  const pathPlans = plansIn('path');
  const headerPlans = plansIn('header');
  const cookiePlans = plansIn('cookie');
  const readQuery = createQueryReader(operation, [...plansIn('query'), ...plansIn('querystring')], parts);

  /** Reads parameters with one string each. */
  const readTexts = (
    plans: readonly ParameterPlan[],
    violations: Violation[],
    textOf: (plan: ParameterPlan) => string | undefined,
  ): Readonly<Record<string, unknown>> => {
    if (plans.length === 0) return NOTHING;
    const values: Record<string, unknown> = {};
    for (const plan of plans) {
      const raw = textOf(plan);
      if (raw === undefined) requireParameter(plan, violations);
      else readParameter(plan, { values, violations, parts }, (shape) => readStyled(raw, shape, plan.rules));
    }
    return values;
  };

  const read = ({ pathText, search, headers }: ParameterSource, violations: Violation[]): ParameterValues => ({
    path: readTexts(pathPlans, violations, ({ parameter }) => pathText[parameter.name]),
    query: readQuery(search, violations),
    header: readTexts(
      headerPlans,
      violations,
      ({ parameter }) => headers.get(parameter.name.toLowerCase()) ?? undefined,
    ),
    cookie:
      cookiePlans.length === 0 ? NOTHING : readCookies(cookiePlans, headers.get('cookie') ?? '', { violations, parts }),
  });
  const secrets = operation.parameters.filter(({ name, required }) => required && isCredential(name));
  if (secrets.length === 0 || parts.strict) return read;
  const pointers = new Set(secrets.map(({ pointer }) => pointer));
  // Documents also declare the credential of their security schemes as a parameter; clients send it once.
  return (source, violations) => {
    const first = violations.length;
    const values = read(source, violations);
    if (Object.keys(source.credentials).length === 0 || source.headers.get('authorization') === null) return values;
    const found = violations.splice(first);
    const isSent = ({ code, schemaPointer }: Violation): boolean =>
      code === 'REQUIRED' && pointers.has(schemaPointer ?? '');
    violations.push(...found.flatMap((violation) => (isSent(violation) ? toNotes([violation]) : violation)));
    return values;
  };
}

/** Whether a parameter has the name of what `Authorization` holds. Other secrets, such as a signature or a token of a page, are values of their own. */
function isCredential(name: string): boolean {
  return /^((access|auth|bearer|oauth)?token|authorization)$/.test(toBareName(name));
}

/** One cookie: its value without quotes, still encoded. */
type Cookie = { readonly name: string; readonly raw: string };

/** Splits a Cookie header (RFC 6265 section 4.2.1); repeated names are kept. */
export function splitCookies(header: string): readonly Cookie[] {
  if (header === '') return [];
  return header.split(';').flatMap((part) => {
    const equals = part.indexOf('=');
    if (equals === -1) return [];
    const value = part.slice(equals + 1).trim();
    const quoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
    return [{ name: part.slice(0, equals).trim(), raw: quoted ? value.slice(1, -1) : value }];
  });
}

/** Reads cookie parameters. */
function readCookies(
  plans: readonly ParameterPlan[],
  header: string,
  to: { readonly violations: Violation[]; readonly parts: ParameterParts },
): Readonly<Record<string, unknown>> {
  const cookies = splitCookies(header);
  const values: Record<string, unknown> = {};
  for (const plan of plans) {
    const { parameter, shape, textShapes } = plan;
    const isSpread = parameter.explode && textShapes.includes('names');
    const own = cookies.filter(({ name }) => name === parameter.name || (isSpread && shape.properties.has(name)));
    if (own.length === 0) requireParameter(plan, to.violations);
    else readParameter(plan, { values, ...to }, (shape) => readTree(plan, own, shape));
  }
  return values;
}

function readTree(plan: ParameterPlan, own: readonly Cookie[], shape: TextShape): TextTree {
  const { rules } = plan;
  if (shape === 'names' && rules.explode) {
    // Exploded, each property is a cookie of its own.
    return Object.fromEntries(own.map(({ name, raw }) => [name, decodeOrThrow(raw, decodePercent)]));
  }
  if (shape === 'list' && own.length > 1) return own.map(({ raw }) => decodeOrThrow(raw, decodePercent));
  // RFC 6265 section 5.4: of two cookies of one name, the more specific one comes first.
  return readStyled(own[0]?.raw ?? '', shape, rules);
}
