import { type SchemaPointers, createSchemaWalk, type SchemaWalk } from '../../../contract/schema-view/walk.js';
import { means, rankNames } from '../../../conventions/conventions.js';
import type { Contract } from '../../../contract/contract.js';
import { isObject, type SchemaObject } from '../../../base/json.js';
import type { MediaType, Operation } from '../../../contract/operations/operation.js';
import { findMedia } from '../../../contract/media-type.js';
import type { Direction } from '../../../schema/violation.js';
import type { Validators } from '../../../schema/validate.js';
import { ExactNumber } from '../../../base/exact-number.js';
import { ANY_SHAPE, type SecretShape } from './placeholder.js';
import type { SecretRules } from './secret-rules.js';

/** Returns the replacement of one string; `rule` is defined if the location makes it a secret. */
export type VisitText = (text: string, location: SecretLocation) => string;

/** The location of a string in a message. */
interface SecretLocation extends SecretShape {
  readonly rule: string | undefined;
}

/** A location that does not make a string a secret. */
export const ORDINARY_LOCATION: SecretLocation = Object.freeze({ ...ANY_SHAPE, rule: undefined });

/** Visits the strings of a message with the rule of their location. */
export interface SecretWalk {
  /** Visits a JSON value along the schemas at `pointers`. */
  json(value: unknown, at: JsonLocation, visit: VisitText): unknown;
  /** The place of a whole JSON value. */
  root(at: JsonLocation): JsonPlace;
  /** The place of a member; `label` is the value of the member `name` or `key` beside it. */
  member(
    parent: JsonPlace,
    name: string,
    of: { readonly value: unknown; readonly label: string | undefined },
  ): JsonPlace;
  /** The place of an item of an array. */
  item(parent: JsonPlace, index: number): JsonPlace;
  /** How many items of an array have a schema of their own; all others have the same place. */
  countOwnItems(parent: JsonPlace): number;
  /** Visits a string or number. */
  scalar(value: unknown, place: JsonPlace, visit: VisitText): unknown;
  /** The name that a member gives to the member `value` beside it: `{ name: "DB_PASSWORD", value: "x" }`. */
  readLabel(name: string, value: unknown): string | undefined;
  /** Visits the strings and numbers of a parameter of a query or path. */
  parameter(name: string, value: unknown, at: ParameterLocation): unknown;
  /** Visits a field of a form or multipart body. @param form - Its pointers lead to the schemas of the whole form. */
  field(name: string, text: string, form: JsonLocation & { readonly visit: VisitText }): string;
  /** Visits a header field. @param field - `pointers` lead to its schemas; default none, for one that is not declared. */
  header(field: { readonly name: string; readonly pointers?: SchemaPointers }, text: string, visit: VisitText): string;
}

/** The location of a JSON value. */
interface JsonLocation {
  readonly pointers: SchemaPointers;
  readonly direction: Direction;
  /** The path of the request, for names that are only secret in requests of OAuth. */
  readonly path?: string | undefined;
}

/** The location of a JSON value with the rule that makes it a secret, or everything in it. */
export interface JsonPlace extends JsonLocation {
  readonly rule: string | undefined;
  /** The name of the member around it. */
  readonly owner?: string | undefined;
}

/** The location of a parameter. */
interface ParameterLocation {
  readonly kind: 'query' | 'path';
  /** Undefined for a request that no operation matches. */
  readonly operation: Operation | undefined;
  /** The path of the request. */
  readonly path: string;
  readonly visit: VisitText;
}

/** Creates the walk through the messages of one contract. */
export function createSecretWalk(contract: Contract, validators: Validators, rules: SecretRules): SecretWalk {
  const schemas = createSchemaWalk(contract);
  const schemes = Object.values(contract.securitySchemes);
  const apiKeys = (place: string): ReadonlySet<string> =>
    new Set(schemes.filter((scheme) => scheme.in === place).map((scheme) => (scheme.key ?? '').toLowerCase()));
  const keyHeaders = apiKeys('header');
  const keyQueries = apiKeys('query');

  const toLocation: ToLocation = (rule, { pointers, direction }) => ({
    rule,
    shapes: () => schemas.all(pointers),
    accepts: (candidate) =>
      pointers.every((pointer) => validators.check(pointer, direction)(candidate, 'body').length === 0),
  });
  /** The location of a named value: a schema that lists its values makes it public, whatever its name. */
  const toNamed = (byScheme: string | undefined, byName: string | undefined, at: JsonLocation): SecretLocation => {
    const shapes = schemas.all(at.pointers);
    return toLocation(byScheme ?? readSchemaRule(shapes) ?? (shapes.some(isPublic) ? undefined : byName), at);
  };
  const json = createJsonWalk(schemas, rules, toLocation);
  return {
    header: ({ name, pointers = [] }, text, visit) => {
      const byName = keyHeaders.has(name.toLowerCase()) ? 'security' : rules.header(name, text);
      const rule = byName ?? readSchemaRule(schemas.all(pointers));
      if (rule === undefined) return visit(text, ORDINARY_LOCATION);
      return visitCredential(name, text, (secret) => visit(secret, { ...ANY_SHAPE, rule }));
    },
    parameter: (name, given, { kind, operation, path, visit }) => {
      const pointers = operation === undefined ? [] : readParameterPointers(operation, kind, name);
      const at = { pointers, direction: 'request', path } as const;
      const byScheme = kind === 'query' && keyQueries.has(name.toLowerCase()) ? 'security' : undefined;
      const walk = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(walk);
        if (typeof value !== 'string' && typeof value !== 'number') return json.json(value, at, visit);
        const text = String(value);
        const byName = kind === 'path' ? rules.key(name, text) : rules.query(name, text, path);
        const clean = visit(text, toNamed(byScheme, byName, at));
        if (clean === text) return value;
        return typeof value === 'number' ? toNumber(clean, text.length) : clean;
      };
      return walk(given);
    },
    field: (name, text, { visit, ...form }) => {
      const at = { ...form, pointers: schemas.member(form.pointers, name) };
      // Fields of forms are parameters of OAuth too.
      return visit(text, toNamed(undefined, rules.query(name, text, form.path), at));
    },
    ...json,
  };
}

type ToLocation = (rule: string | undefined, at: JsonLocation) => SecretLocation;

/** Creates the walk through JSON values. */
function createJsonWalk(
  schemas: SchemaWalk,
  rules: SecretRules,
  toLocation: ToLocation,
): Omit<SecretWalk, 'field' | 'header' | 'parameter'> {
  const root = (at: JsonLocation): JsonPlace => ({ ...at, rule: readSchemaRule(schemas.all(at.pointers)) });
  const below = (parent: JsonPlace, pointers: SchemaPointers, own?: string): JsonPlace => ({
    pointers,
    direction: parent.direction,
    path: parent.path,
    rule: parent.rule ?? own ?? readSchemaRule(schemas.all(pointers)),
    owner: parent.owner,
  });
  const item: SecretWalk['item'] = (parent, index) => below(parent, schemas.element(parent.pointers, index));
  const countOwnItems: SecretWalk['countOwnItems'] = ({ pointers }) =>
    Math.max(0, ...schemas.all(pointers).map(({ prefixItems = [] }) => prefixItems.length));
  const member: SecretWalk['member'] = (parent, name, { value, label }) => {
    const pointers = schemas.member(parent.pointers, name);
    const named = { ...parent, owner: name };
    if (schemas.all(pointers).some(isPublic)) return below(named, pointers);
    const given = toGiven(value);
    const own = label !== undefined && VALUES.has(name) ? label : name;
    // `secrets: [{ value }]`: the value is that of the name around it.
    const { owner } = parent;
    const byOwner = VALUES.has(name) && owner !== undefined ? rules.element(owner, given) : undefined;
    return below(named, pointers, rules.key(own, given, parent.path) ?? byOwner);
  };
  const scalar: SecretWalk['scalar'] = (value, place, visit) => {
    if (typeof value === 'string') return visit(value, toLocation(place.rule, place));
    if (typeof value !== 'number' && !(value instanceof ExactNumber)) return value;
    const text = value instanceof ExactNumber ? value.source : String(value);
    // Without a rule only the number of a card is a secret.
    if (place.rule === undefined && text.length < CARD_LENGTH) return value;
    const clean = visit(text, toLocation(place.rule, place));
    return clean === text ? value : toNumber(clean, text.length);
  };
  const walk = (value: unknown, place: JsonPlace, visit: VisitText): unknown => {
    if (Array.isArray(value)) return value.map((each, i) => walk(each, item(place, i), visit));
    if (!isObject(value) || value instanceof ExactNumber) return scalar(value, place, visit);
    const label = findLabel(value);
    const members = Object.entries(value).map(([name, each]): [string, unknown] => [
      visit(name, ORDINARY_LOCATION),
      walk(each, member(place, name, { value: each, label }), visit),
    ]);
    return Object.fromEntries(members);
  };

  return {
    root,
    member,
    item,
    countOwnItems,
    scalar,
    readLabel,
    json: (value, at, visit) => walk(value, root(at), visit),
  };
}

/** The shortest number of a card. */
const CARD_LENGTH = 14;

/** The digits at the end of a placeholder as a number of the same length; the placeholder itself if it has none. */
function toNumber(placeholder: string, length: number): unknown {
  const digits = /\d+$/.exec(placeholder)?.[0];
  if (digits === undefined) return placeholder;
  if (/^(?:0|[1-9]\d*)$/.test(placeholder)) return Number(placeholder);
  const padded = Number(`1${'0'.repeat(Math.min(length, 15) - 1)}`);
  return length < 4 ? Number(digits) : padded + Number(digits);
}

const VALUES: ReadonlySet<string> = new Set(['value', 'Value', 'val', 'plaintext']);

function readLabel(name: string, value: unknown): string | undefined {
  return means(name, 'secrets.label') && typeof value === 'string' ? value : undefined;
}

/** The label of an object with a name and a value. */
export function findLabel(value: Readonly<Record<string, unknown>>): string | undefined {
  if (!Array.from(VALUES).some((each) => each in value)) return undefined;
  const name = rankNames(Object.keys(value), 'secrets.label').find((each) => typeof value[each] === 'string');
  return name === undefined ? undefined : String(value[name]);
}

/** The value for rules by name: a number with all of its digits as a number. */
function toGiven(member: unknown): unknown {
  return member instanceof ExactNumber ? Number(member.source) : member;
}

/** The schema pointers of a parameter, of a header by its name in lower case; empty for an undeclared one. */
export function readParameterPointers(operation: Operation, place: string, name: string): SchemaPointers {
  const isNamed = (own: string): boolean => own === name || (place === 'header' && own.toLowerCase() === name);
  const parameter = operation.parameters.find((candidate) => candidate.in === place && isNamed(candidate.name));
  return parameter === undefined ? [] : [parameter.schemaPointer];
}

/** The schema pointers of a body; empty for an undeclared media type. */
export function readBodyPointers(content: readonly MediaType[], mediaType: string | undefined): SchemaPointers {
  const media = mediaType === undefined ? undefined : findMedia(content, mediaType);
  if (media?.itemSchema !== undefined) return [media.itemSchemaPointer];
  return media?.schema === undefined ? [] : [media.schemaPointer];
}

/** The rule by which a value with these schemas is a secret, or undefined. */
function readSchemaRule(shapes: readonly SchemaObject[]): string | undefined {
  for (const schema of shapes) {
    if (isPublic(schema)) continue;
    if (schema.format === 'password') return 'schema:format=password';
    if (schema.writeOnly === true) return 'schema:writeOnly';
    if (schema['x-sensitive'] === true) return 'schema:x-sensitive';
  }
  return undefined;
}

/** Whether a schema lists its values, which are public then. */
function isPublic(schema: SchemaObject): boolean {
  return schema.enum !== undefined || schema.const !== undefined;
}

/** Visits the secret part of a header; schemes, cookie names and attributes stay. */
function visitCredential(name: string, text: string, visit: (secret: string) => string): string {
  if (name === 'cookie' || name === 'set-cookie') {
    const pairs = text.split(';');
    // RFC 6265 4.1.1: the attributes follow the cookie.
    return pairs.map((pair, i) => (name === 'cookie' || i === 0 ? visitCookie(pair, visit) : pair)).join(';');
  }
  // RFC 9110 11.4: a scheme, a space, the credentials.
  const [, scheme, credentials] = /^([A-Za-z][\w-]*) +(.+)$/.exec(text) ?? [];
  if (scheme === undefined || credentials === undefined) return text === '' ? text : visit(text);
  if (scheme.toLowerCase() !== 'basic') return `${scheme} ${visit(credentials)}`;
  // RFC 7617: the replacement must also be a user and a password. Several services take the key as the user.
  const [user = '', ...rest] = Buffer.from(credentials, 'base64').toString('utf8').split(':');
  const halves = [user, rest.join(':')].map((half) => (half === '' ? half : visit(half)));
  return `${scheme} ${Buffer.from(halves.join(':')).toString('base64')}`;
}

function visitCookie(pair: string, visit: (secret: string) => string): string {
  const equals = pair.indexOf('=');
  const value = pair.slice(equals + 1);
  return equals === -1 || value === '' ? pair : `${pair.slice(0, equals + 1)}${visit(value)}`;
}
