import type { Contract } from '../../contract/contract.js';
import { isObject, type SchemaObject } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import type { Direction } from '../../schema/schema-unit.js';
import type { Validators } from '../../schema/validate.js';
import { ExactNumber } from '../cassette/exact-json.js';
import { ANY_SHAPE, type SecretShape } from './placeholder.js';
import type { SecretRules } from './secret-rules.js';
import { createSecretSchemas, type SchemaPointers } from './secret-schema.js';

/** What becomes of one text; `rule` where the place makes it a secret. */
export type VisitText = (text: string, place: SecretPlace) => string;

/** The place of one text. */
interface SecretPlace extends SecretShape {
  readonly rule: string | undefined;
}

/** A place that makes nothing a secret. */
export const OPEN_PLACE: SecretPlace = Object.freeze({ ...ANY_SHAPE, rule: undefined });

/** Ways through the parts of a message that know which places hold secrets. */
export interface SecretWalk {
  /** A JSON value, along the schemas at `pointers`. */
  json(value: unknown, at: JsonPlace, visit: VisitText): unknown;
  /** One named value: of a query, a path, a form or a part. */
  named(name: string, text: string, at: NamedPlace): string;
  /** One header field. */
  header(name: string, text: string, visit: VisitText): string;
}

/** Where a JSON value stands. */
interface JsonPlace {
  readonly pointers: SchemaPointers;
  readonly direction: Direction;
}

/** Where a named value stands; for a field of a form, the pointers are those of the whole form. */
interface NamedPlace extends JsonPlace {
  readonly kind: 'query' | 'path' | 'form';
  readonly visit: VisitText;
}

/** Where a JSON value stands, below a place that may be a secret as a whole. */
interface InheritedPlace extends JsonPlace {
  /** The rule that makes everything here a secret. */
  readonly inherited: string | undefined;
}

/** Ways through the messages of one contract. */
export function createSecretWalk(contract: Contract, validators: Validators, rules: SecretRules): SecretWalk {
  const schemas = createSecretSchemas(contract);
  const schemes = Object.values(contract.securitySchemes);
  const apiKeys = (place: string): ReadonlySet<string> =>
    new Set(schemes.filter((scheme) => scheme.in === place).map((scheme) => (scheme.key ?? '').toLowerCase()));
  const keyHeaders = apiKeys('header');
  const keyQueries = apiKeys('query');

  const toPlace = (rule: string | undefined, at: JsonPlace): SecretPlace => ({
    rule,
    shapes: () => schemas.shapes(at.pointers),
    accepts: (candidate) =>
      at.pointers.every((pointer) => validators.check(pointer, at.direction)(candidate, 'body').length === 0),
  });

  const json = (value: unknown, at: InheritedPlace, visit: VisitText): unknown => {
    const rule = at.inherited ?? schemas.rule(at.pointers);
    if (typeof value === 'string') return visit(value, toPlace(rule, at));
    if (typeof value === 'number' || value instanceof ExactNumber) {
      return rule === undefined
        ? value
        : toNumber(value, visit(value instanceof ExactNumber ? value.source : String(value), toPlace(rule, at)));
    }
    if (Array.isArray(value)) {
      return value.map((item, i) =>
        json(item, { ...at, pointers: schemas.item(at.pointers, i), inherited: rule }, visit),
      );
    }
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, member]): [string, unknown] => {
      const pointers = schemas.member(at.pointers, name);
      const named = isObject(member) ? rules.group(name) : rules.key(name);
      const byName = rule ?? (named === undefined || isPublished(schemas.shapes(pointers)) ? undefined : named);
      return [visit(name, OPEN_PLACE), json(member, { ...at, pointers, inherited: byName }, visit)];
    });
    return Object.fromEntries(members);
  };

  return {
    json: (value, at, visit) => json(value, { ...at, inherited: undefined }, visit),
    named: (name, text, at) => {
      const byName = at.kind === 'query' ? rules.query(name) : rules.key(name);
      const byScheme = at.kind === 'query' && keyQueries.has(name.toLowerCase()) ? 'security' : undefined;
      const own = { ...at, pointers: at.kind === 'form' ? schemas.member(at.pointers, name) : at.pointers };
      const rule = byScheme ?? schemas.rule(own.pointers) ?? byName;
      return at.visit(text, toPlace(rule, own));
    },
    header: (name, text, visit) => {
      const rule = keyHeaders.has(name) ? 'security' : rules.header(name);
      if (rule === undefined) return visit(text, OPEN_PLACE);
      return visitCredential(name, text, (secret) => visit(secret, { ...ANY_SHAPE, rule }));
    },
  };
}

/** The schemas of a parameter, or of a field of a form. */
export function readParameterPointers(operation: Operation, place: string, name: string): SchemaPointers {
  const parameter = operation.parameters.find((candidate) => candidate.in === place && candidate.name === name);
  return parameter === undefined ? [] : [parameter.schemaPointer];
}

/** What the contract lists itself is no secret. */
function isPublished(shapes: readonly SchemaObject[]): boolean {
  return shapes.some((schema) => schema.enum !== undefined || schema.const !== undefined);
}

/** A placeholder for a number is a number where it can be one. */
function toNumber(value: unknown, placeholder: string): unknown {
  const digits = /\d+$/.exec(placeholder)?.[0];
  return digits === undefined ? value : Number(digits);
}

/** The secret part of a header alone: schemes, cookie names and attributes stay. */
function visitCredential(name: string, text: string, visit: (secret: string) => string): string {
  if (name === 'cookie') {
    return text
      .split(';')
      .map((pair) => visitCookie(pair, visit))
      .join(';');
  }
  if (name === 'set-cookie') {
    const [pair = '', ...attributes] = text.split(';');
    return [visitCookie(pair, visit), ...attributes].join(';');
  }
  // RFC 9110 11.4: a scheme, a space, the credentials.
  const [, scheme, credentials] = /^([A-Za-z][\w-]*) +(.+)$/.exec(text) ?? [];
  if (scheme === undefined || credentials === undefined) return text === '' ? text : visit(text);
  if (scheme.toLowerCase() !== 'basic') return `${scheme} ${visit(credentials)}`;
  // RFC 7617: what replaces it must still be a user and a password.
  return `${scheme} ${visitBasic(credentials, visit)}`;
}

/** Both halves are secrets: several services take the key as the user and no password. */
function visitBasic(credentials: string, visit: (secret: string) => string): string {
  const decoded = Buffer.from(credentials, 'base64').toString('utf8');
  const [user = '', ...rest] = decoded.split(':');
  const halves = [user, rest.join(':')].map((half) => (half === '' ? half : visit(half)));
  return Buffer.from(halves.join(':')).toString('base64');
}

function visitCookie(pair: string, visit: (secret: string) => string): string {
  const equals = pair.indexOf('=');
  const value = pair.slice(equals + 1);
  return equals === -1 || value === '' ? pair : `${pair.slice(0, equals + 1)}${visit(value)}`;
}
