import type { Contract } from '../contract/contract.js';
import { isObject, readOwn, type Schema, type SchemaObject, setOwn } from '../contract/json.js';
import type { MediaType } from '../contract/operations/operation.js';
import { readSegments, toPointer } from '../contract/pointer.js';
import { toTable } from '../generate/text/names.js';
import type { Violation } from '../schema/violation.js';

/** What the body of an error says. */
export interface ErrorFacts {
  readonly status: number;
  /** A sentence for a human. */
  readonly message: string;
  /** A stable name for programs, such as `not_found`. */
  readonly code?: string | undefined;
  /** The field, parameter or header at fault. */
  readonly param?: string | undefined;
  readonly violations?: readonly Violation[] | undefined;
}

/** What a property of an error body holds. */
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
): (facts: ErrorFacts) => unknown {
  const example = media.examples.map((candidate) => candidate.value).find(isObject);
  const place = { schema: media.schema ?? true, pointer: media.schemaPointer, depth: 0 };
  const fill = createFiller({ contract, isForStatus }, place);
  return (facts) => fill(facts, example);
}

type DraftContext = { readonly contract: Contract; readonly isForStatus: boolean };

type Filler = (facts: ErrorFacts, example: unknown) => unknown;

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
  return (facts, example) => {
    const body: Record<string, unknown> = isObject(example) ? { ...example } : {};
    for (const [name, fill] of fillers) {
      const value = fill(facts, readOwn(body, name));
      if (value !== undefined) setOwn(body, name, value);
    }
    return body;
  };
}

/** Names of objects inside an error that describe it. */
const ERROR_OBJECT = /^(errors?|faults?|problems?|details?|status|meta|response|result|body|data|context_?info)$/i;

function createPropertyFiller(context: DraftContext, name: string, place: SchemaPlace): Filler {
  if (place.depth > MAX_DEPTH) return (_, example) => example;
  const { schema } = context.contract.resolve(place.schema, place.pointer);
  const role = ROLES.get(toLetters(name));
  if (typeof schema === 'boolean') return (facts, example) => readFact(role, facts) ?? example;
  const properties = collectProperties(context.contract, place);
  if (properties.size > 0) {
    // Other objects inside an error are resources it refers to, such as a customer.
    return ERROR_OBJECT.test(name) || (name === 'source' && properties.has('pointer'))
      ? createFiller(context, place)
      : (_, example) => example;
  }
  const types = readTypes(schema);
  if (types.includes('array')) {
    const items = { schema: schema.items ?? true, pointer: `${place.pointer}/items`, depth: place.depth + 1 };
    return createListFiller(createFiller(context, items), role === 'violations');
  }
  // A string called `error` is the message.
  const isMessage = name.toLowerCase() === 'error' && types.includes('string');
  return createScalarFiller(context, role ?? (isMessage ? 'message' : undefined), schema);
}

/** A list of errors has one entry per violation; without violations, one for the error itself. */
function createListFiller(fillItem: Filler, isOfErrors: boolean): Filler {
  return (facts, example) => {
    const first: unknown = Array.isArray(example) ? example[0] : undefined;
    const { violations = [] } = facts;
    // The example of another list, such as one of warnings, is empty.
    if (Array.isArray(example) && example.length === 0 && !isOfErrors) return example;
    if (violations.length === 0) return [fillItem(facts, first)];
    return violations.map(({ message, pointer }) =>
      fillItem({ ...facts, message, param: readParam(pointer), violations: [] }, first),
    );
  };
}

function createScalarFiller({ isForStatus }: DraftContext, role: Role | undefined, schema: SchemaObject): Filler {
  const types = readTypes(schema);
  const { const: only, enum: members } = schema;
  const isNumber = types.includes('integer') || types.includes('number');
  const isStatus = role === 'status' || (role === 'code' && isNumber && !types.includes('string'));
  return (facts, example) => {
    if (only !== undefined) return only;
    if (members !== undefined) return chooseMember(members, readFact(role, facts), facts) ?? example;
    if (isStatus && !isWithin(facts.status, schema)) return example;
    if (isStatus) return isNumber ? facts.status : String(facts.status);
    if (role === 'failed' && types.includes('boolean')) return false;
    if (role === 'param') {
      // As a JSON pointer (RFC 6901) if the schema says so.
      const param =
        schema.format === 'json-pointer' ? facts.param && toPointer(...facts.param.split('.')) : facts.param;
      return param ?? (types.includes('null') ? null : example);
    }
    const fact = readFact(role, facts);
    if (role === 'code') return (isForStatus ? example : undefined) ?? facts.code ?? example;
    // RFC 9457 section 4.2.1: the type of a problem that has no page of its own.
    if (role === 'type' && types.includes('string'))
      return example ?? (schema.format?.startsWith('uri') === true ? 'about:blank' : facts.code);
    if (fact !== undefined && (types.length === 0 || types.includes('string'))) return fact;
    return example;
  };
}

/** Words for an invalid request, the most exact first. */
const INVALID = [
  /^(invalid|bad)(argument|request|input|parameter)s?$/,
  /validation/,
  /invalidrequest|badrequest|requesterror/,
  /invalid/,
];

/** Words for conditions in the codes and types of errors, without their separators, the most exact first. */
const CONDITION_WORDS: readonly (readonly [code: RegExp, words: readonly RegExp[]])[] = [[/idempoten/, [/idempoten/]]];

const STATUS_WORDS: ReadonlyMap<number, readonly RegExp[]> = new Map([
  [401, [/unauthenticated|unauthori[sz]ed|authentication/, /auth|credential|apikey|token/]],
  [402, [/paymentrequired/, /card|payment|billing/]],
  [403, [/permissiondenied|forbidden/, /permission|accessdenied|authorization|denied/]],
  [404, [/^(resource|object)?notfound/, /notfound|nosuch|missing|unknown(id|resource)/]],
  [405, [/methodnotallowed/]],
  [409, [/alreadyexists|conflict|aborted/, /exists|duplicate|taken/]],
  [412, [/preconditionfailed|failedprecondition/, /precondition/]],
  [413, [/toolarge/]],
  [415, [/mediatype/]],
  [422, [/unprocessable/]],
  [429, [/ratelimit|toomanyrequests|resourceexhausted/, /throttl|quota|limit/]],
]);

/** Words for failures of the server. */
const SERVER_WORDS = [/^internal(server)?(error)?$/, /internal|servererror|apierror/, /server|unavailable|unknown/];

const ANY_ERROR = /^((api|general|generic|unknown)error|other|unknown|error)$/;

/** The member of an enum that names an error: its code in any case, its status, or another word for the condition or the status. */
function chooseMember(members: readonly unknown[], fact: string | undefined, facts: ErrorFacts): unknown {
  if (fact !== undefined && members.includes(fact)) return fact;
  const { status, code = '' } = facts;
  const number = members.find((member) => member === status || member === String(status));
  if (number !== undefined) return number;
  const own = toLetters(code);
  const find = (isMeant: (letters: string) => boolean): unknown =>
    members.find((member) => typeof member === 'string' && isMeant(toLetters(member)));
  const exact = own === '' ? undefined : find((letters) => letters === own);
  if (exact !== undefined) return exact;
  const words = [
    ...CONDITION_WORDS.flatMap(([condition, meant]) => (condition.test(code) ? meant : [])),
    ...(status >= 500 ? SERVER_WORDS : [...(STATUS_WORDS.get(status) ?? []), ...INVALID, ANY_ERROR]),
  ];
  return words.map((word) => find((letters) => word.test(letters))).find((member) => member !== undefined);
}

function toLetters(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}

function isWithin(value: number, { minimum, maximum }: SchemaObject): boolean {
  return !(typeof minimum === 'number' && value < minimum) && !(typeof maximum === 'number' && value > maximum);
}

function readFact(role: Role | undefined, facts: ErrorFacts): string | undefined {
  if (role === 'title') return facts.code ?? facts.message;
  return role === 'message' || role === 'code' || role === 'param' ? facts[role] : undefined;
}

/** The field at a pointer in dotted form, such as `owner.name`; undefined for the whole value. */
export function readParam(pointer: string): string | undefined {
  return pointer === '' ? undefined : readSegments(pointer).join('.');
}

function readTypes(schema: SchemaObject): readonly string[] {
  if (typeof schema.type === 'string') return [schema.type];
  if (schema.type !== undefined) return schema.type;
  return (schema.anyOf ?? schema.oneOf ?? []).flatMap((branch) =>
    typeof branch === 'boolean' ? [] : readTypes(branch),
  );
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
  for (const keyword of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [i, part] of (schema[keyword] ?? []).entries()) {
      if (keyword !== 'allOf' && found.size > 0) break;
      const branch = { schema: part, pointer: `${pointer}/${keyword}/${i}`, depth: depth + 1 };
      for (const [name, property] of collectProperties(contract, branch)) found.set(name, property);
    }
  }
  return found;
}
