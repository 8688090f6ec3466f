import { addTo, isObject, readOwn, setOwn } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import { withHint } from '../../schema/sentence.js';
import { suggest } from '../../errors.js';
import { toError, toStrictError, type Violation } from '../../schema/violation.js';
import { buildTree, decodeForm, type Pair, readBrackets, readPairs, type TextTree } from '../text.js';
import {
  requireParameter,
  type ParameterParts,
  type ParameterPlan,
  QUERY_PROFILES,
  type QueryProfile,
  readParameter,
} from './parameter-plan.js';
import { decodeOrThrow, readStyled, splitRaw, StyleError, type TextShape } from './style.js';

/** Decodes and validates the query of one operation; violations are pushed to the array. */
type QueryReader = (search: string, violations: Violation[]) => Readonly<Record<string, unknown>>;

/** One `name=value` of a parameter. */
interface Entry {
  /** The path in the parameter: `['a', 'b']` for `filter[a][b]=…`. */
  readonly path: readonly string[];
  readonly raw: string | undefined;
}

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});
/** The maximum number of undeclared parameters that are reported for one call. */
const MAX_UNDECLARED = 20;

/** Creates the query reader of an operation. */
export function createQueryReader(
  operation: Operation,
  plans: readonly ParameterPlan[],
  parts: ParameterParts,
): QueryReader {
  const whole = plans.find(({ parameter }) => parameter.in === 'querystring');
  if (whole !== undefined) return (search, violations) => readWhole(whole, search, { violations, parts });
  const profile = readProfile(operation) ?? parts.queryProfile;
  const findOwner = createOwnerFinder(plans, profile);
  const expected = new Set([...parts.keysInQuery, ...readFixedNames(operation.path), CURSOR_PARAMETER]);
  const required = plans.filter(({ parameter }) => parameter.required);

  return (search, violations) => {
    if (search === '') {
      for (const plan of required) requireParameter(plan, violations);
      return NOTHING;
    }
    const values: Record<string, unknown> = {};
    const owned = new Map<ParameterPlan, Entry[]>();
    const undeclared = new Set<string>();
    for (const pair of readPairs(search)) {
      const owner = findOwner(pair.name);
      if (owner === undefined && PREFERENCES.has(pair.name)) continue;
      if (owner === undefined) {
        keepUndeclared(pair, values);
        const isNew = !expected.has(pair.name) && !undeclared.has(pair.name) && undeclared.size < MAX_UNDECLARED;
        if (isNew) violations.push(toUndeclared(pair, plans, parts.strict));
        undeclared.add(pair.name);
        continue;
      }
      addTo(owned, owner.plan, { path: owner.path, raw: pair.raw });
    }
    for (const plan of plans) {
      const entries = owned.get(plan);
      if (entries === undefined) requireParameter(plan, violations);
      else if (isEmptyAllowed(plan, entries)) setOwn(values, plan.parameter.name, readEmpty(plan, entries));
      else
        readParameter(plan, { values, violations, parts }, (shape) => readEntries(plan, entries, { shape, profile }));
    }
    return values;
  };
}

/** `x-mock: { query: brackets }` of an operation: how its clients serialize arrays and objects. */
function readProfile(operation: Operation): QueryProfile | undefined {
  const settings = operation.extensions['x-mock'];
  return QUERY_PROFILES.find((profile) => isObject(settings) && profile === settings['query']);
}

/** Names in a path key with a fixed query: `/messages?beta=true`. */
function readFixedNames(path: string): readonly string[] {
  return readPairs(path.split('?')[1] ?? '').map(({ name }) => name);
}

type Owner = { readonly plan: ParameterPlan; readonly path: readonly string[] };

/** Finds the parameter that a name in the query belongs to. */
function createOwnerFinder(
  plans: readonly ParameterPlan[],
  profile: QueryProfile | undefined,
): (name: string) => Owner | undefined {
  const byName = new Map<string, Owner>(plans.map((plan) => [plan.parameter.name, { plan, path: [] }]));
  const structured = plans.filter(({ textShapes }) => textShapes.some((shape) => shape !== 'text'));
  const byBase = new Map<string, ParameterPlan>();
  for (const plan of structured) {
    // SDKs send `include[]` for `include`, and the reverse.
    const base = plan.parameter.name.replace(/\[\]$/, '');
    byBase.set(base, plan);
    if (!byName.has(base)) byName.set(base, { plan, path: [] });
  }
  const spread = structured.filter(
    ({ parameter, textShapes }) => textShapes.includes('names') && parameter.style === 'form' && parameter.explode,
  );
  // OpenAPI 3.1, Style Values: the properties of an exploded form object are parameters; without named properties, all other names are.
  const free = spread.find(({ shape }) => shape.rest !== undefined || (shape.open && shape.properties.size === 0));

  return (name) => {
    const exact = byName.get(name);
    if (exact !== undefined) return exact;
    for (const [base = '', ...path] of [readBrackets(name), profile === 'dots' ? name.split('.') : []]) {
      const plan = path.length === 0 ? undefined : byBase.get(base);
      if (plan !== undefined) return { plan, path };
    }
    const plan = spread.find(({ shape }) => shape.properties.has(name)) ?? free;
    return plan === undefined ? undefined : { plan, path: [name] };
  };
}

/** Reads the entries of one parameter as one shape. */
function readEntries(
  plan: ParameterPlan,
  entries: readonly Entry[],
  how: { readonly shape: TextShape; readonly profile: QueryProfile | undefined },
): TextTree {
  const [first] = entries;
  const flat = entries.every(({ path }) => path.length === 0);
  if (how.shape === 'text') {
    if (!flat) throw new StyleError('must be a single value, got an array or an object');
    if (entries.length > 1)
      throw new StyleError(`must be given once, got ${entries.length} times`, 'PARAMETER_REPEATED');
    return decodeOrThrow(first?.raw ?? '', plan.rules.decode);
  }
  if (!flat) return readPaths(entries, how.shape);
  if (how.shape === 'names') return readStyled(first?.raw ?? '', 'names', { ...plan.rules, explode: false });
  return readList(plan, entries, how.profile);
}

/** Entries with brackets: `a[b]=1&a[c]=2`, `a[]=1`. */
function readPaths(entries: readonly Entry[], shape: TextShape): TextTree {
  if (shape === 'names' && entries.some(({ path }) => path.length === 0)) {
    throw new StyleError('must not be both a single value and an object', 'PARAMETER_REPEATED');
  }
  const tree = buildTree(entries.map(({ path, raw }) => ({ path, text: decodeOrThrow(raw ?? '', decodeForm) })));
  return shape === 'list' && typeof tree === 'string' ? [tree] : tree;
}

function readList(plan: ParameterPlan, entries: readonly Entry[], profile: QueryProfile | undefined): TextTree {
  const { rules, parameter } = plan;
  const split = profile === 'comma' || (profile !== 'repeat' && !parameter.explode);
  const raws = entries.flatMap(({ raw = '' }) => (split && raw !== '' ? splitRaw(raw, parameter.style) : [raw]));
  // `tags=` is one empty string where items can be strings, else an empty array.
  if (raws.length === 1 && raws[0] === '' && !plan.takesEmptyItem) return [];
  return raws.map((raw) => decodeOrThrow(raw, rules.decode));
}

/** OpenAPI 3.1, Parameter Object: `allowEmptyValue` allows `?flag` and `?flag=` for every schema. */
function isEmptyAllowed({ parameter }: ParameterPlan, entries: readonly Entry[]): boolean {
  return parameter.allowEmptyValue && entries.length === 1 && (entries[0]?.raw ?? '') === '';
}

function readEmpty({ shape }: ParameterPlan, entries: readonly Entry[]): unknown {
  return shape.types.has('boolean') && entries[0]?.raw === undefined ? true : '';
}

/** Reads the query as one value (OpenAPI 3.2, `in: querystring`). */
function readWhole(
  plan: ParameterPlan,
  search: string,
  to: { readonly violations: Violation[]; readonly parts: ParameterParts },
): Readonly<Record<string, unknown>> {
  if (search === '') {
    requireParameter(plan, to.violations);
    return NOTHING;
  }
  const values: Record<string, unknown> = {};
  const isForm = plan.parameter.mediaType === 'application/x-www-form-urlencoded';
  readParameter(plan, { values, ...to }, () => (isForm ? readFormText(search) : decodeOrThrow(search, decodeForm)));
  return values;
}

/** Reads a form as a tree: brackets nest, repeated names become arrays. */
function readFormText(text: string): TextTree {
  const pairs = readPairs(text);
  if (pairs.length === 0) return {};
  return buildTree(
    pairs.map(({ name, raw = '' }) => ({ path: readBrackets(name), text: decodeOrThrow(raw, decodeForm) })),
  );
}

/** Query parameters that replace a `Prefer` header, for browsers; they are not part of the request. */
const PREFERENCES: ReadonlySet<string> = new Set(['__code', '__dynamic', '__example', '__seed']);

/** The cursor in URLs of the next page, for lists that declare such a URL and no parameter of a page. */
export const CURSOR_PARAMETER = '__cursor';

/** Adds an undeclared parameter to the values, as a string. */
function keepUndeclared({ name, raw = '' }: Pair, values: Record<string, unknown>): void {
  const text = decodeForm(raw) ?? raw;
  const before = readOwn(values, name);
  setOwn(values, name, before === undefined ? text : [before, text].flat());
}

function toUndeclared(pair: Pair, plans: readonly ParameterPlan[], strict: boolean): Violation {
  const { name } = pair;
  if (pair.broken || (pair.raw !== undefined && decodeForm(pair.raw) === undefined)) {
    const message = `query parameter "${name}" has malformed percent-encoding`;
    return toError({ code: 'ENCODING_MALFORMED', in: 'query', name, message });
  }
  const names = plans.map(({ parameter }) => parameter.name);
  const message = `query parameter "${name}" is not declared by the operation${withHint(suggest(name, names))}`;
  return toStrictError({ code: 'PARAMETER_UNDECLARED', in: 'query', name, message }, strict);
}
