import type { Contract } from '../contract/contract.js';
import { isObject, type Schema, type SchemaObject, setOwn } from '../contract/json.js';
import type { MediaType } from '../contract/operations/operation.js';
import { readSegments, toPointer } from '../contract/pointer.js';
import type { ErrorFacts } from './error-answers.js';

/** Drafts an error body from its facts. */
export type ErrorPlan = (facts: ErrorFacts) => unknown;

/** What a property of an error body is for, told by its name. */
type Role = 'message' | 'code' | 'param' | 'status' | 'title' | 'violations' | 'failed';

const ROLES: ReadonlyMap<string, Role> = new Map<string, Role>(
  Object.entries({
    message: 'message',
    msg: 'message',
    detail: 'message',
    description: 'message',
    errordescription: 'message',
    errormessage: 'message',
    usermessage: 'message',
    reason: 'message',
    text: 'message',
    code: 'code',
    errorcode: 'code',
    errortype: 'code',
    key: 'code',
    param: 'param',
    parameter: 'param',
    field: 'param',
    property: 'param',
    target: 'param',
    location: 'param',
    pointer: 'param',
    status: 'status',
    statuscode: 'status',
    httpstatus: 'status',
    httpcode: 'status',
    httpstatuscode: 'status',
    title: 'title',
    errors: 'violations',
    details: 'violations',
    violations: 'violations',
    fielderrors: 'violations',
    success: 'failed',
    ok: 'failed',
  } as const),
);

/** Deeper than any error body goes; a schema that contains itself ends here. */
const DEPTH_LIMIT = 6;

/**
 * The way to draft an error body for one media type, worked out once.
 *
 * The message, code, field and status go where a property's name says they belong; everything else is what the document's
 * own example of this error has, so that a draft looks like what the API's authors wrote.
 *
 * @param isForStatus - Whether the media type is documented for the very status of the answer: then the code in its example,
 *   which clients may switch on, says more than ours.
 */
export function createErrorPlan(contract: Contract, media: MediaType, isForStatus: boolean): ErrorPlan {
  const example = media.examples.map((candidate) => candidate.value).find(isObject);
  const fill = createFiller(contract, { schema: media.schema ?? true, pointer: media.schemaPointer, depth: 0 });
  return (facts) => fill({ facts, isForStatus }, example);
}

interface Situation {
  readonly facts: ErrorFacts;
  readonly isForStatus: boolean;
}

type Filler = (situation: Situation, example: unknown) => unknown;

interface Spot {
  readonly schema: Schema;
  readonly pointer: string;
  readonly depth: number;
}

function createFiller(contract: Contract, spot: Spot): Filler {
  const { schema } = contract.resolve(spot.schema, spot.pointer);
  const properties = collectProperties(contract, spot, spot.depth);
  if (typeof schema === 'boolean') return (situation, example) => example ?? situation.facts.message;
  if (properties.size === 0) {
    return readTypes(schema).includes('string') ? (situation) => situation.facts.message : (_, example) => example;
  }
  const fillers = [...properties].map(([name, inner]): readonly [string, Filler] => [
    name,
    createPropertyFiller(contract, name, { ...inner, depth: spot.depth + 1 }),
  ]);
  return (situation, example) => {
    const body: Record<string, unknown> = isObject(example) ? { ...example } : {};
    for (const [name, fill] of fillers) {
      const value = fill(situation, Object.hasOwn(body, name) ? body[name] : undefined);
      if (value !== undefined) setOwn(body, name, value);
    }
    return body;
  };
}

/** Names of objects inside an error that carry what it says. */
const ERROR_OBJECT = /^(errors?|faults?|problems?|details?|status|meta|response|result|body|data|context_?info)$/i;

function createPropertyFiller(contract: Contract, name: string, spot: Spot): Filler {
  if (spot.depth > DEPTH_LIMIT) return (_, example) => example;
  const { schema } = contract.resolve(spot.schema, spot.pointer);
  const role = ROLES.get(name.toLowerCase().replaceAll(/[^a-z]/g, ''));
  if (typeof schema === 'boolean') return (situation, example) => readFact(role, situation.facts) ?? example;
  const properties = collectProperties(contract, spot, spot.depth);
  if (properties.size > 0) {
    // Other objects inside an error are things it speaks of (a card, a customer): no part of what went wrong.
    return ERROR_OBJECT.test(name) || (name === 'source' && properties.has('pointer'))
      ? createFiller(contract, spot)
      : (_, example) => example;
  }
  const types = readTypes(schema);
  if (types.includes('array')) {
    const items = createFiller(contract, {
      schema: schema.items ?? true,
      pointer: `${spot.pointer}/items`,
      depth: spot.depth + 1,
    });
    return (situation, example) => fillList(items, situation, example);
  }
  return (situation, example) =>
    fillScalar({ role: role ?? roleOfText(name, types), schema, types }, situation, example);
}

/** A list of errors has one entry for each violation; without any, one for the error itself. */
function fillList(items: Filler, situation: Situation, example: unknown): unknown {
  const { facts } = situation;
  const first: unknown = Array.isArray(example) ? example[0] : undefined;
  const violations = facts.violations ?? [];
  if (violations.length === 0) return [items(situation, first)];
  return violations.map((violation) => {
    const own = { ...facts, message: violation.message, param: readParam(violation.pointer), violations: [] };
    return items({ ...situation, facts: own }, first);
  });
}

interface Scalar {
  readonly role: Role | undefined;
  readonly schema: SchemaObject;
  readonly types: readonly string[];
}

function fillScalar(scalar: Scalar, situation: Situation, example: unknown): unknown {
  const { role, schema, types } = scalar;
  const { facts } = situation;
  if (schema.const !== undefined) return schema.const;
  const isNumber = types.includes('integer') || types.includes('number');
  if (role === 'status' || (role === 'code' && isNumber && !types.includes('string'))) {
    return isNumber ? facts.status : String(facts.status);
  }
  if (role === 'failed' && types.includes('boolean')) return false;
  if (role === 'param') return writeParam(facts.param, schema) ?? (types.includes('null') ? null : example);
  const fact = readFact(role, facts);
  if (schema.enum !== undefined) return pickMember(schema.enum, fact, example);
  if (role === 'code') return (situation.isForStatus ? example : undefined) ?? facts.code ?? example;
  if (fact !== undefined && (types.length === 0 || types.includes('string'))) return fact;
  return example;
}

/** The field at fault, as a pointer (RFC 6901) where the schema wants one. */
function writeParam(param: string | undefined, { format }: SchemaObject): string | undefined {
  return param === undefined || format !== 'json-pointer' ? param : toPointer(...param.split('.'));
}

/** `error: string`, beside or instead of a message, is the message. */
function roleOfText(name: string, types: readonly string[]): Role | undefined {
  return name.toLowerCase() === 'error' && types.includes('string') ? 'message' : undefined;
}

function readFact(role: Role | undefined, facts: ErrorFacts): string | undefined {
  if (role === 'message') return facts.message;
  if (role === 'title') return facts.code ?? facts.message;
  if (role === 'code') return facts.code;
  if (role === 'param') return facts.param;
  return undefined;
}

function pickMember(members: readonly unknown[], fact: string | undefined, example: unknown): unknown {
  if (fact !== undefined && members.includes(fact)) return fact;
  return members.includes(example) ? example : undefined;
}

/** The field at a pointer as people write it: `owner.name`; undefined for the whole. */
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

/** Properties of a schema, of what it refers to, of all of its `allOf`, and of the first branch of a union that has any. */
function collectProperties(contract: Contract, spot: Spot, depth: number): ReadonlyMap<string, Omit<Spot, 'depth'>> {
  const { schema, pointer } = contract.resolve(spot.schema, spot.pointer);
  const found = new Map<string, Omit<Spot, 'depth'>>();
  if (typeof schema === 'boolean' || depth > DEPTH_LIMIT) return found;
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    found.set(name, { schema: inner, pointer: pointer + toPointer('properties', name) });
  }
  for (const keyword of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [i, part] of (schema[keyword] ?? []).entries()) {
      if (keyword !== 'allOf' && found.size > 0) break;
      const inner = collectProperties(
        contract,
        { schema: part, pointer: `${pointer}/${keyword}/${i}`, depth },
        depth + 1,
      );
      for (const [name, place] of inner) found.set(name, place);
    }
  }
  return found;
}
