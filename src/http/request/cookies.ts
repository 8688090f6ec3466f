import { setOwn } from '../../contract/json.js';
import type { Violation } from '../../schema/violation.js';
import { decodePercent, type TextTree } from '../text.js';
import { demand, type ParameterParts, type ParameterPlan, settle } from './parameter-plan.js';
import { decodeOrThrow, readStyled, type TextShape } from './style.js';

/** One cookie as it came: its value without quotes, still encoded. */
interface Cookie {
  readonly name: string;
  readonly raw: string;
}

/** Takes a Cookie header apart (RFC 6265 section 4.2.1); repeated names all stay. */
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
export function readCookies(
  plans: readonly ParameterPlan[],
  header: string,
  to: { readonly violations: Violation[]; readonly parts: ParameterParts },
): Readonly<Record<string, unknown>> {
  const cookies = splitCookies(header);
  const values: Record<string, unknown> = {};
  for (const plan of plans) {
    const own = cookiesOf(plan, cookies);
    if (own.length === 0) demand(plan, to.violations);
    else settle(plan, { values, ...to }, (shape) => readTree(plan, own, shape));
  }
  return values;
}

/** The cookies that make up one parameter. */
function cookiesOf({ parameter, shape, textShapes }: ParameterPlan, cookies: readonly Cookie[]): readonly Cookie[] {
  const spread = parameter.explode && textShapes.includes('names');
  return cookies.filter(({ name }) => name === parameter.name || (spread && shape.properties.has(name)));
}

function readTree(plan: ParameterPlan, own: readonly Cookie[], shape: TextShape): TextTree {
  const { rules } = plan;
  if (shape === 'names' && rules.explode) {
    // Exploded, each property is a cookie of its own.
    const tree: Record<string, TextTree> = {};
    for (const { name, raw } of own) setOwn(tree, name, decodeOrThrow(raw, decodePercent));
    return tree;
  }
  if (shape === 'list' && own.length > 1) return own.map(({ raw }) => decodeOrThrow(raw, decodePercent));
  // RFC 6265 section 5.4: of two cookies of one name, the more specific one comes first.
  return readStyled(own[0]?.raw ?? '', shape, rules);
}
