import { readIntegers } from '../../base/exact-json.js';
import { means } from '../../conventions/conventions.js';
import type { Operation, Parameter } from '../../contract/operations/operation.js';
import { readOwnHint } from '../../contract/operations/own-hint.js';
import {
  hasErrors,
  NO_VIOLATIONS,
  toError,
  toNote,
  toNotes,
  toStrictError,
  toUnusableNote,
  type Violation,
  type ViolationCode,
  type ViolationPlace,
} from '../../schema/violation.js';
import { addTo, readOwn, setOwn } from '../../base/json.js';
import type { ValueShape } from '../../contract/schema-view/shape.js';
import type { SchemaCheck, Validators } from '../../schema/validate.js';
import { isJsonType } from '../../contract/media-type.js';
import { withHint } from '../../schema/sentence.js';
import { editDistance, suggest } from '../../base/errors.js';
import { memoizeText } from '../../base/memoize.js';
import { buildTree, decodeForm, decodePercent, type Pair, readBrackets, readPairs, type TextTree } from '../text.js';
import type { RequestHeaders } from '../request-headers.js';
import { decodeOrThrow, readStyled, splitRaw, StyleError, type StyleRules, type TextShape } from './style.js';
import { type Coerce, isList } from './coerce.js';

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
  /** The accepted credentials, by scheme. */
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

  const noteMisspelled = createMisspelledReader(headerPlans);
  const readAll = ({ pathText, search, headers }: ParameterSource, violations: Violation[]): ParameterValues => ({
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
  const read = (source: ParameterSource, violations: Violation[]): ParameterValues => {
    const values = readAll(source, violations);
    noteMisspelled(source.headers, violations);
    return values;
  };
  // Other secrets, such as a signature or a token of a page, are values of their own.
  const secrets = operation.parameters.filter(({ name, required }) => required && means(name, 'secrets.credential'));
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

/** Notes headers with nearly the name of a declared one that the request lacks: `X-Requst-Id`. */
function createMisspelledReader(plans: readonly ParameterPlan[]): (headers: RequestHeaders, to: Violation[]) => void {
  if (plans.length === 0) return () => {};
  const declared = new Map(plans.map(({ parameter: { name } }) => [name.toLowerCase(), name]));
  const findMeant = memoizeText((name) => {
    // Of two short names, one is often like the other: `x-api-key` and `x-app-key`.
    const limit = name.length < 12 ? 2 : 3;
    return declared.has(name)
      ? undefined
      : [...declared.keys()].find((each) => each.length > 5 && editDistance(name, each, limit) < limit);
  });
  return ({ fields }, violations) => {
    for (const name in fields) {
      const meant = findMeant(name);
      if (meant === undefined || Object.hasOwn(fields, meant)) continue;
      const message = `header "${name}" is not declared by the operation; did you mean "${declared.get(meant) ?? meant}"?`;
      violations.push(toNote({ code: 'PARAMETER_UNDECLARED', in: 'header', name, message }));
    }
  };
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
    const own = cookies.filter(({ name }) => name === parameter.name || (isSpread && shape.members.has(name)));
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

/**
 * How an SDK serializes arrays and objects in the query where it differs from the contract:
 * `a[]=1&a[b]=2`, `a.b=2`, `a=1,2` or `a=1&a=2`.
 */
export type QueryProfile = (typeof QUERY_PROFILES)[number];

/** The names of the query profiles. */
const QUERY_PROFILES = ['brackets', 'dots', 'comma', 'repeat'] as const;

/** The parts that parameter readers share, created once per contract. */
interface ParameterParts {
  readonly validators: Validators;
  readonly shapes: (pointer: string) => ValueShape;
  readonly coerce: Coerce;
  readonly coerceLeniently: Coerce;
  readonly strict: boolean;
  readonly queryProfile: QueryProfile | undefined;
  /** Names of the query parameters that carry credentials. */
  readonly keysInQuery: ReadonlySet<string>;
}

/** One parameter, prepared for reading requests. */
interface ParameterPlan {
  readonly parameter: Parameter;
  readonly place: ViolationPlace;
  readonly shape: ValueShape;
  /** The forms that the schema allows, the simplest first. */
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
    takesEmptyItem: shape.element !== undefined && parts.shapes(shape.element).types.has('string'),
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
function requireParameter(plan: ParameterPlan, violations: Violation[]): void {
  if (!plan.parameter.required || (plan.place === 'header' && OF_TRANSPORT.test(plan.parameter.name))) return;
  // An exploded object without properties is nothing in a query.
  const { style, explode } = plan.parameter;
  const mayBeNothing = plan.place === 'query' && plan.shape.types.has('object') && (explode || style === 'deepObject');
  if (mayBeNothing && !hasErrors(plan.check({}, 'query'))) return;
  violations.push(toParameterError(plan, 'REQUIRED', 'is required'));
}

function toParameterError({ parameter, place }: ParameterPlan, code: ViolationCode, says: string): Violation {
  const { name, pointer: schemaPointer } = parameter;
  const noun = place === 'header' || place === 'cookie' ? place : `${place} parameter`;
  return toError({ code, in: place, name, message: `${noun} "${name}" ${says}`, schemaPointer });
}

function toTextShapes({ types }: ValueShape): readonly TextShape[] {
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
    return { value: readIntegers(text) };
  } catch {
    return { value: undefined, mistake: `must be valid JSON, got ${JSON.stringify(text.slice(0, 60))}` };
  }
}

/** Decodes and validates the query of one operation; violations are pushed to the array. */
type QueryReader = (search: string, violations: Violation[]) => Readonly<Record<string, unknown>>;

/** One `name=value` of a parameter. */
interface QueryEntry {
  /** The path in the parameter: `['a', 'b']` for `filter[a][b]=…`. */
  readonly path: readonly string[];
  readonly raw: string | undefined;
}

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
    const owned = new Map<ParameterPlan, QueryEntry[]>();
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
  const query = readOwnHint(operation, 'query');
  return QUERY_PROFILES.find((profile) => profile === query);
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
  const free = spread.find(({ shape }) => shape.rest !== undefined || (shape.open && shape.members.size === 0));

  return (name) => {
    const exact = byName.get(name);
    if (exact !== undefined) return exact;
    for (const [base = '', ...path] of [readBrackets(name), profile === 'dots' ? name.split('.') : []]) {
      const plan = path.length === 0 ? undefined : byBase.get(base);
      if (plan !== undefined) return { plan, path };
    }
    const plan = spread.find(({ shape }) => shape.members.has(name)) ?? free;
    return plan === undefined ? undefined : { plan, path: [name] };
  };
}

/** Reads the entries of one parameter as one shape. */
function readEntries(
  plan: ParameterPlan,
  entries: readonly QueryEntry[],
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
function readPaths(entries: readonly QueryEntry[], shape: TextShape): TextTree {
  if (shape === 'names' && entries.some(({ path }) => path.length === 0)) {
    throw new StyleError('must not be both a single value and an object', 'PARAMETER_REPEATED');
  }
  const tree = buildTree(entries.map(({ path, raw }) => ({ path, text: decodeOrThrow(raw ?? '', decodeForm) })));
  return shape === 'list' && typeof tree === 'string' ? [tree] : tree;
}

function readList(plan: ParameterPlan, entries: readonly QueryEntry[], profile: QueryProfile | undefined): TextTree {
  const { rules, parameter } = plan;
  const split = profile === 'comma' || (profile !== 'repeat' && !parameter.explode);
  const raws = entries.flatMap(({ raw = '' }) => (split && raw !== '' ? splitRaw(raw, parameter.style) : [raw]));
  // `tags=` is one empty string where items can be strings, else an empty array.
  if (raws.length === 1 && raws[0] === '' && !plan.takesEmptyItem) return [];
  return raws.map((raw) => decodeOrThrow(raw, rules.decode));
}

/** OpenAPI 3.1, Parameter Object: `allowEmptyValue` allows `?flag` and `?flag=` for every schema. */
function isEmptyAllowed({ parameter }: ParameterPlan, entries: readonly QueryEntry[]): boolean {
  return parameter.allowEmptyValue && entries.length === 1 && (entries[0]?.raw ?? '') === '';
}

function readEmpty({ shape }: ParameterPlan, entries: readonly QueryEntry[]): unknown {
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
