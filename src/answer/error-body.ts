import { readBranches } from '../contract/schema-view/parts.js';
import { means } from '../conventions/conventions.js';
import type { Contract } from '../contract/contract.js';
import { isObject, readOwn, type Schema, type SchemaObject, setOwn, COMBINING_KEYWORDS } from '../base/json.js';
import type { MediaType } from '../contract/operations/operation.js';
import { readSegments, toPointer } from '../contract/pointer.js';
import { toTable } from '../generate/text/names.js';
import {
  type BodyFacts,
  listWords,
  toBodyFacts,
  toGeneralCondition,
  toWord,
} from '../http/response/error-conditions.js';
import { readStatusTitle } from '../http/response/problem.js';
import type { Violation, ViolationPlace } from '../schema/violation.js';
import { capitalize, toLetters } from '../base/names.js';

/** Returns the facts of one entry of a list, which is about one violation; it has the code of its own violation. */
export function toEntryFacts({ status, code, violation: first }: BodyFacts, violation: Violation): BodyFacts {
  const { message, pointer } = violation;
  const own = { status, message, param: readParam(pointer), violation, violations: [] };
  return toBodyFacts(first === undefined ? { ...own, code } : own);
}

/** The role of a property of an error body. */
type Role = 'message' | 'code' | 'param' | 'status' | 'title' | 'type' | 'violations' | 'failed';

/** By the name of the property. */
const ROLES: ReadonlyMap<string, Role> = toTable<Role>([
  ['message msg detail description errordescription errormessage usermessage reason text', 'message'],
  ['code errorcode errortype key', 'code'],
  ['type kind category class errorclass errorkind exception', 'type'],
  ['param parameter field property target location pointer', 'param'],
  ['status statuscode httpstatus httpcode httpstatuscode', 'status'],
  ['title', 'title'],
  ['errors details violations fielderrors', 'violations'],
  ['success ok', 'failed'],
]);

/** Levels of nesting that are filled in; a recursive schema ends here. */
const MAX_DEPTH = 6;

/**
 * Creates a function that drafts error bodies of one media type; a draft may still miss what its schema requires.
 *
 * Message, code, field and status go into the properties whose names say so; everything else comes from the document's own
 * example, so that a draft looks like what the authors of the API wrote.
 *
 * @param isForStatus - Whether the media type is documented for exactly the status of the answer: then the code in its
 *   example, which clients may switch on, wins over ours.
 */
export function createErrorDraft(
  contract: Contract,
  media: MediaType,
  isForStatus: boolean,
): (facts: BodyFacts) => unknown {
  const example = media.examples.map((candidate) => candidate.value).find(isObject);
  const place = { schema: media.schema ?? true, pointer: media.schemaPointer, depth: 0 };
  const isProblem = media.type.includes('problem');
  const fill = createFiller({ contract, isForStatus, isProblem }, place);
  return (facts) => fill(facts, example);
}

interface DraftContext {
  readonly contract: Contract;
  readonly isForStatus: boolean;
  /** Whether the body is problem details (RFC 9457). */
  readonly isProblem: boolean;
}

type Filler = (facts: BodyFacts, example: unknown) => unknown;

type SchemaPlace = { readonly schema: Schema; readonly pointer: string; readonly depth: number };

function createFiller(context: DraftContext, place: SchemaPlace): Filler {
  const { schema } = context.contract.resolve(place.schema, place.pointer);
  if (typeof schema === 'boolean') return (facts, example) => example ?? facts.message;
  const properties = collectProperties(context.contract, place);
  if (properties.size === 0) {
    return readTypes(schema).includes('string') ? ({ message }) => message : (_, example) => example;
  }
  const fillers = [...properties].map(([name, inner]): readonly [string, Filler] => [
    name,
    createPropertyFiller(context, name, { ...inner, depth: place.depth + 1 }),
  ]);
  const optional = properties.has('pointer')
    ? SOURCES.filter(([name]) => schema.required?.includes(name) !== true)
    : [];
  return (facts, example) => {
    const body: Record<string, unknown> = isObject(example) ? { ...example } : {};
    for (const [name, fill] of fillers) {
      const value = fill(facts, readOwn(body, name));
      if (value !== undefined) setOwn(body, name, value);
    }
    for (const [name, places] of optional) {
      if (facts.violation !== undefined && !places.includes(facts.violation.in)) delete body[name];
    }
    return body;
  };
}

/** The members of an object that says where an error is, each for other parts of a request (JSON:API 1.1, error objects). */
const SOURCES: readonly (readonly [name: string, places: readonly ViolationPlace[]])[] = [
  ['pointer', ['body']],
  ['parameter', ['query', 'path', 'cookie']],
  ['header', ['header']],
];

function createPropertyFiller(context: DraftContext, name: string, place: SchemaPlace): Filler {
  if (place.depth > MAX_DEPTH) return (_, example) => example;
  const { schema } = context.contract.resolve(place.schema, place.pointer);
  const role = ROLES.get(toLetters(name));
  if (typeof schema === 'boolean') return (facts, example) => readFact(role, facts) ?? example;
  const properties = collectProperties(context.contract, place);
  if (properties.size > 0) {
    // Other objects inside an error are resources it refers to, such as a customer.
    return means(name, 'errors.part') || (name === 'source' && properties.has('pointer'))
      ? createFiller(context, place)
      : (_, example) => example;
  }
  const types = readTypes(schema);
  if (role === 'violations' && isObject(schema.additionalProperties)) {
    const inner = { schema: schema.additionalProperties, pointer: `${place.pointer}/additionalProperties` };
    return createMapFiller(createPropertyFiller(context, 'errors', { ...inner, depth: place.depth + 1 }));
  }
  const isPath = means(name, 'errors.path') && collectProperties(context.contract, toItems(place, schema)).size === 0;
  if (types.includes('array') && isPath) return createPathFiller(name);
  // A string says the same as a list of one.
  if (types.includes('array') && !types.includes('string')) {
    return createListFiller(createFiller(context, toItems(place, schema)), role === 'violations');
  }
  // A string called `error` is the message.
  const isMessage = name.toLowerCase() === 'error' && types.includes('string');
  return createScalarFiller(context, role ?? (isMessage ? 'message' : undefined), schema);
}

function toItems({ pointer, depth }: SchemaPlace, { items = true }: SchemaObject): SchemaPlace {
  return { schema: items, pointer: `${pointer}/items`, depth: depth + 1 };
}

/** The steps to the value at fault; after the part of the request unless the array is a path. */
function createPathFiller(name: string): Filler {
  return ({ violation }, example) => {
    if (violation === undefined) return example ?? [];
    const steps = readSegments(violation.pointer).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    return name.toLowerCase() === 'path' ? steps : [violation.in, ...steps];
  };
}

/** Messages by the names of the parameters at fault. */
function createMapFiller(fillOne: Filler): Filler {
  return (facts, example) => {
    const { violations = [] } = facts;
    if (violations.length === 0)
      return facts.param === undefined ? example : { [facts.param]: fillOne(facts, undefined) };
    const names = new Set(violations.map(({ pointer }) => pointer));
    return Object.fromEntries(
      [...names].map((pointer) => {
        const own = violations.filter((each) => each.pointer === pointer);
        return [readParam(pointer) ?? own[0]?.in ?? '', fillOne({ ...facts, violations: own }, undefined)];
      }),
    );
  };
}

/** A list of errors has one entry per violation; without violations, one for the error itself. */
function createListFiller(fillItem: Filler, isOfErrors: boolean): Filler {
  return (facts, example) => {
    const first: unknown = Array.isArray(example) ? example[0] : undefined;
    const { violations = [] } = facts;
    // The example of another list, such as one of warnings, is empty.
    if (Array.isArray(example) && example.length === 0 && !isOfErrors) return example;
    if (violations.length === 0) return [fillItem(facts, first)];
    return violations.map((violation) => fillItem(toEntryFacts(facts, violation), first));
  };
}

function createScalarFiller(context: DraftContext, role: Role | undefined, schema: SchemaObject): Filler {
  const types = readTypes(schema);
  const { const: only, enum: members } = schema;
  const isNumber = types.includes('integer') || types.includes('number');
  const isText = types.length === 0 || types.includes('string');
  const isStatus = role === 'status' || (role === 'code' && isNumber && !types.includes('string'));
  const shown = listShown(schema);
  return (facts, example) => {
    if (only !== undefined) return only;
    if (members !== undefined) return chooseMember(members, readFact(role, facts), facts) ?? example;
    if (isStatus && isText && isWord(example ?? shown[0])) return findWord(facts, [example, ...shown], facts.code);
    if (isStatus && !isWithin(facts.status, schema)) return example;
    if (isStatus) return isNumber ? facts.status : String(facts.status);
    if (role === 'failed' && types.includes('boolean')) return false;
    if (role === 'param')
      return writeParam(facts, schema, [example, ...shown]) ?? (types.includes('null') ? null : example);
    if (!isText) return example;
    const kept = context.isForStatus ? example : undefined;
    if (role === 'code') return kept ?? findWord(facts, [example, ...shown], facts.code);
    if (role === 'title') return kept ?? readStatusTitle(facts.status);
    if (role === 'type') {
      // RFC 9457 section 4.2.1: the type of a problem that has no page of its own.
      const isUri = context.isProblem || schema.format?.startsWith('uri') === true || isUrl(example ?? shown[0]);
      if (isUri) return kept ?? findMember(shown.filter(isUrl), toTests(facts)) ?? 'about:blank';
      return kept ?? findWord(facts, [example, ...shown], toWord(toGeneralCondition(facts.condition)));
    }
    return readFact(role, facts) ?? example;
  };
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && /[a-z]/i.test(value);
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && /^([a-z][a-z0-9+.-]*:|\/)/i.test(value);
}

function isWithin(value: number, { minimum, maximum }: SchemaObject): boolean {
  return !(typeof minimum === 'number' && value < minimum) && !(typeof maximum === 'number' && value > maximum);
}

function readFact(role: Role | undefined, facts: BodyFacts): string | undefined {
  return role === 'message' || role === 'code' || role === 'param' ? facts[role] : undefined;
}

/** The field at a pointer in dotted form, such as `owner.name`; undefined for the whole value. */
export function readParam(pointer: string): string | undefined {
  return pointer === '' ? undefined : readSegments(pointer).join('.');
}

function readTypes(schema: SchemaObject): readonly string[] {
  if (typeof schema.type === 'string') return [schema.type];
  if (schema.type !== undefined) return schema.type;
  return readBranches(schema).flatMap((branch) => (typeof branch === 'boolean' ? [] : readTypes(branch)));
}

/** Properties of a schema, its reference, all of its `allOf`, and the first branch of a union that has any. */
function collectProperties(contract: Contract, place: SchemaPlace): ReadonlyMap<string, SchemaPlace> {
  const { schema, pointer } = contract.resolve(place.schema, place.pointer);
  const found = new Map<string, SchemaPlace>();
  const { depth } = place;
  if (typeof schema === 'boolean' || depth > MAX_DEPTH) return found;
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    found.set(name, { schema: inner, pointer: pointer + toPointer('properties', name), depth });
  }
  for (const keyword of COMBINING_KEYWORDS) {
    for (const [i, part] of (schema[keyword] ?? []).entries()) {
      if (keyword !== 'allOf' && found.size > 0) break;
      const branch = { schema: part, pointer: `${pointer}/${keyword}/${i}`, depth: depth + 1 };
      for (const [name, property] of collectProperties(contract, branch)) found.set(name, property);
    }
  }
  return found;
}

/** The word for an error in a string: one that the document shows for its condition, else its own in the same style. */
function findWord(facts: BodyFacts, samples: readonly unknown[], word: string): string {
  const all = samples.filter((sample) => typeof sample === 'string');
  const isUsual = (letters: string): boolean => facts.status < 500 && /(invalid|bad)request|requesterror/.test(letters);
  const found = findMember(all, [(letters) => letters === toLetters(word), ...toTests(facts), isUsual]);
  if (typeof found === 'string') return found;
  // `status: error` is the same for every error.
  return all.length === 1 && means(toLetters(all[0] ?? ''), 'errors.any') ? (all[0] ?? word) : toStyle(word, all[0]);
}

/** The parameter at fault in the notation of the schema or the samples: `/a/0`, `#/a/0`, `$.a[0].b`, `a.0.b`, `a[0].b`, `a[0][b]`. */
function writeParam(
  { param, violation }: BodyFacts,
  { format }: SchemaObject,
  samples: readonly unknown[],
): string | undefined {
  if (param === undefined) return undefined;
  const isLike = (form: RegExp): boolean => samples.some((sample) => typeof sample === 'string' && form.test(sample));
  const steps = violation === undefined ? param.split('.') : readSegments(violation.pointer);
  // A JSON pointer (RFC 6901) as a string, or as the fragment of a URI.
  if (format === 'json-pointer' || isLike(/^\/\w/)) return toPointer(...steps);
  if (format === 'json-pointer-uri-fragment' || isLike(/^#\//)) return `#${toPointer(...steps)}`;
  const isPath = isLike(/^\$\./);
  if (!isPath && !isLike(/\w\[\w*\]/)) return param;
  const [first = '', ...rest] = steps;
  const isDotted = isPath || isLike(/\]\.|\.\w+\[/);
  const tail = rest.map((step) => (isDotted && !/^\d+$/.test(step) ? `.${step}` : `[${step}]`)).join('');
  return `${isPath ? '$.' : ''}${first}${tail}`;
}

/** The member of an enum that names an error: its code in any case, its status, or another word for the condition or the status. */
function chooseMember(members: readonly unknown[], fact: string | undefined, facts: BodyFacts): unknown {
  if (fact !== undefined && members.includes(fact)) return fact;
  const { status, code, violation } = facts;
  const number = members.find((member) => member === status || member === String(status));
  if (number !== undefined) return number;
  const isExact = [code, violation?.code ?? code].map((own) => (letters: string) => letters === toLetters(own));
  // Services report most errors of clients as invalid requests.
  const usual = status < 500 ? toTests({ ...facts, condition: 'invalid-request' }) : [];
  const tests = [...isExact, ...toTests(facts), ...usual, (letters: string) => means(letters, 'errors.any')];
  return findMember(members, tests, facts.param);
}

function toTests({ condition, status }: BodyFacts): readonly ((letters: string) => boolean)[] {
  return listWords(condition, status).map((word) => (letters) => word.test(letters));
}

/** The first string that passes a test, the tests in their order; of those that pass the same one, that which names what is at fault. */
function findMember(
  members: readonly unknown[],
  tests: readonly ((letters: string) => boolean)[],
  param = '',
): unknown {
  const noun = toLetters(param.split('.').at(-1) ?? '').replace(/ids?$/, '');
  // A shorter word is also in others: `to` in `customer`.
  const isNamed = (text: string): boolean => noun.length > 2 && toLetters(text).includes(noun);
  const texts = members.filter((member) => typeof member === 'string');
  const found = tests
    .map((isMeant) => texts.filter((text) => isMeant(toLetters(text))))
    .find((those) => those.length > 0);
  return found?.find(isNamed) ?? found?.[0];
}

/** Values of a string that is not enumerated, as its schema shows them: examples, and quoted words of its description. */
function listShown({ example, examples, description = '', ...others }: SchemaObject): readonly string[] {
  const quoted = [...description.matchAll(/[`'"]([A-Za-z][\w.:/-]*)[`'"]/g)].map((match) => match[1]);
  const open = others['x-extensible-enum'];
  const shown: readonly unknown[] = [example, ...(examples ?? []), ...(Array.isArray(open) ? open : []), ...quoted];
  return shown.filter((value) => typeof value === 'string');
}

/** A word such as `not_found` in the case and with the separators of another one. */
function toStyle(word: string, sample: string | undefined): string {
  if (sample === undefined || !/^[A-Za-z][A-Za-z0-9_-]*$/.test(sample)) return word;
  const upper = word.toUpperCase();
  if (/^[A-Z0-9_]+$/.test(sample)) return upper;
  if (/^[A-Z0-9-]+$/.test(sample)) return upper.replaceAll('_', '-');
  if (/^[a-z0-9]+(-[a-z0-9]+)+$/.test(sample)) return word.replaceAll('_', '-');
  if (!/[a-z][A-Z]|^[A-Z][a-z]/.test(sample)) return word;
  const camel = word.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return /^[A-Z]/.test(sample) ? capitalize(camel) : camel;
}
