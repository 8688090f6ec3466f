import type { Contract } from '../../../contract/contract.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { findJsonMedia, findResponse } from '../../../contract/operations/responses.js';
import { isJsonType, findMedia } from '../../../contract/media-type.js';
import { readPointer, readSegments, toPointer, toReference } from '../../../contract/pointer.js';
import { createFieldsReader } from '../../../contract/schema-view/fields.js';
import {
  createSchemaWalk,
  listApplied,
  type SchemaPointers,
  type SchemaWalk,
} from '../../../contract/schema-view/walk.js';
import { formatPlace } from '../../../base/errors.js';
import { addTo, COMBINING_KEYWORDS, isObject, isScalarType, readJsonType } from '../../../base/json.js';
import { readContentType, readField } from '../../../http/header-fields.js';
import { negotiate } from '../../../http/response/negotiate.js';
import type { Violation } from '../../../schema/violation.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles } from '../../../base/exact-json.js';
import { writeCanonical } from '../cassette/canonical.js';
import { loadJson, readText, writeBody } from '../cassette/recorded-body.js';
import type { CheckResponse } from '../../../http/response/response-check.js';
import { toChange } from '../drift/drift.js';
import { isFailure } from './failure.js';
import { findHiddenMembers } from './hidden-members.js';
import { createRequestKeeper } from './request-schemas.js';

/** A change of the document after which it allows what a recording shows. */
export interface DocumentChange {
  /** What changes, with the place in the document. */
  readonly message: string;
  /** The actions of an overlay that make the change. */
  readonly actions: readonly object[];
}

interface DriftParts {
  readonly contract: Contract;
  readonly check: CheckResponse;
}

/** An answer of JSON, and the schemas that it must match. */
interface CheckedAnswer {
  readonly operation: Operation;
  readonly response: NonNullable<StoredExchange['response']>;
  readonly body: unknown;
  readonly root: string;
}

/**
 * The changes of the document after which the recorded answers of successes match it: members that the document does not
 * declare, that it requires and the service does not send, and values that it does not allow.
 */
export function findDocumentChanges(cassette: Cassette, parts: DriftParts): readonly DocumentChange[] {
  const changes = new Map<string, DocumentChange>();
  const write = createChangeWriter(parts.contract);
  const undeclared = createUndeclaredFinder(parts.contract);
  const groups = new Map<string, AnsweredExchange[]>();
  for (const exchange of cassette.exchanges) {
    const { operation, response } = exchange;
    if (response !== undefined && response.status < 300)
      addTo(groups, `${operation} ${response.status}`, { ...exchange, response });
  }
  for (const exchanges of groups.values()) {
    const [own, ofBytes] = [
      relabel(cassette, exchanges, parts.contract),
      relabelBytes(cassette, exchanges, parts.contract),
    ];
    for (const change of [...own, ...ofBytes]) changes.set(JSON.stringify(change.actions), change);
  }
  const answers = cassette.exchanges.map((exchange) => readAnswer(cassette, exchange, parts.contract));
  const hidden = new Set<string>();
  for (const pointer of findHiddenMembers(cassette, parts.contract, answers)) {
    const change = write.hide(pointer);
    if (change === undefined) continue;
    hidden.add(pointer);
    changes.set(JSON.stringify(change.actions), change);
  }
  for (const answer of answers) {
    if (answer === undefined) continue;
    const { operation, response, body, root } = answer;
    const violations = parts.check(operation, { ...response, body }).filter((each) => !isOfHidden(each, hidden));
    const found = [
      ...undeclared(body, [root]).map(({ pointer, name, value }) => write.declare(pointer, name, value)),
      ...violations.map((violation) => write.allow(violation, { body, root })),
    ];
    for (const change of found) if (change !== undefined) changes.set(JSON.stringify(change.actions), change);
  }
  return [...changes.values()];
}

/** Whether a member is required that is only written: once the document says so, it is not. */
function isOfHidden({ code, schemaPointer = '', pointer }: Violation, hidden: ReadonlySet<string>): boolean {
  const owner = schemaPointer.replace(/\/required$/, '');
  return code === 'REQUIRED' && hidden.has(owner + toPointer('properties', readSegments(pointer).at(-1) ?? ''));
}

function readAnswer(cassette: Cassette, exchange: StoredExchange, contract: Contract): CheckedAnswer | undefined {
  const { response } = exchange;
  const operation = contract.operation(exchange.operation);
  if (operation === undefined || response === undefined || response.status >= 300) return undefined;
  const type = readContentType(response.headers) ?? '';
  const media = findMedia(findResponse(operation, response.status)?.content ?? [], type);
  const body = toDoubles(loadJson(cassette.folder, response));
  const isJson = isJsonType(type) || media?.isJson === true;
  if (media?.schema === undefined || body === undefined || !isJson || isFailure(response.status, body))
    return undefined;
  return { operation, response, body, root: media.schemaPointer };
}

/** An exchange with an answer. */
interface AnsweredExchange extends StoredExchange {
  readonly response: NonNullable<StoredExchange['response']>;
}

/**
 * The changes after which answers of JSON have the media type that the service labels them with.
 *
 * @param exchanges - Those with one status of an operation.
 */
function relabel(
  cassette: Cassette,
  exchanges: readonly AnsweredExchange[],
  contract: Contract,
): readonly DocumentChange[] {
  const firsts = new Map(exchanges.toReversed().map((exchange) => [readType(exchange), exchange]));
  const { operation: id = '', response: { status } = { status: 0 } } = exchanges[0] ?? {};
  const operation = contract.operation(id);
  const content = (operation && findResponse(operation, status)?.content) ?? [];
  const declared = findJsonMedia(content);
  const above = declared && readAbove(declared.pointer);
  const target = above === undefined ? undefined : toTarget(contract, above);
  if (declared?.schema === undefined || above === undefined || target === undefined) return [];
  const { schema } = contract.resolve(declared.schema, declared.schemaPointer);
  // Some services send both; and the content of a file is text, whatever it is.
  const isText = isObject(schema) && isScalarType(schema['type']);
  if (isText || declared.isJson === true || [...firsts.keys()].some(isJsonType)) return [];
  return [...firsts].flatMap(([type, { request, response }]): readonly DocumentChange[] => {
    if (type === '' || loadJson(cassette.folder, response) === undefined) return [];
    const others = content.filter((media) => media !== declared);
    const known = findMedia(others, type);
    // Some services send what was asked for.
    const accept = readField(request.headers, 'accept') ?? null;
    if (known !== undefined && negotiate(accept, [declared.type]) === undefined) return [];
    const sent = JSON.stringify(type);
    const message = `${formatPlace(contract.locate(above))}: send ${sent} in place of "${declared.type}", as the service does`;
    const update = { target, update: { [type]: contract.at(declared.pointer) } };
    const remove = { target: `${target}[${quote(declared.type)}]`, remove: true };
    return [{ message, actions: [remove, ...(known === undefined ? [update] : [])] }];
  });
}

/** The changes after which answers of bytes have the media type that the service labels them with; any, if there are several. */
function relabelBytes(
  cassette: Cassette,
  exchanges: readonly AnsweredExchange[],
  contract: Contract,
): readonly DocumentChange[] {
  const types = new Set(exchanges.map(readType));
  const { operation: id = '', response: { status } = { status: 0 } } = exchanges[0] ?? {};
  const operation = contract.operation(id);
  const [declared, ...others] = (operation && findResponse(operation, status)?.content) ?? [];
  if (declared === undefined || others.length > 0 || types.has('') || types.size === 0) return [];
  const [above, own] = [readAbove(declared.pointer), toTarget(contract, declared.pointer)];
  const target = toTarget(contract, above);
  if ([...types].every((type) => findMedia([declared], type) !== undefined) || target === undefined) return [];
  const isBytes = exchanges.every(({ response }) => {
    const bytes = writeBody(cassette.folder, response);
    return bytes !== undefined && readText(bytes) === undefined;
  });
  if (!isBytes) return [];
  const [type = '*/*', ...more] = types;
  const sent = more.length === 0 ? type : '*/*';
  const message = `${formatPlace(contract.locate(above))}: send "${sent}" in place of "${declared.type}", as the service does`;
  const update = { target, update: { [sent]: contract.at(declared.pointer) } };
  return [{ message, actions: [{ target: own, remove: true }, update] }];
}

function readType({ response }: AnsweredExchange): string {
  return readContentType(response.headers) ?? '';
}

/** The pointer of the object that a value is in. */
function readAbove(pointer: string): string {
  return toPointer(...readSegments(pointer).slice(0, -1));
}

/** A member that no schema of its object has, and the schema that should have it. */
interface Undeclared {
  readonly pointer: string;
  readonly name: string;
  readonly value: unknown;
}

function createUndeclaredFinder(
  contract: Contract,
): (value: unknown, pointers: SchemaPointers) => readonly Undeclared[] {
  const fieldsOf = createFieldsReader(contract);
  const walk = createSchemaWalk(contract);
  const find = (value: unknown, pointers: SchemaPointers): readonly Undeclared[] => {
    if (pointers.length === 0) return [];
    if (Array.isArray(value)) return value.flatMap((item: unknown, i) => find(item, walk.element(pointers, i)));
    if (!isObject(value)) return [];
    const { members, open } = fieldsOf(pointers);
    return Object.entries(value).flatMap(([name, member]) => {
      if (members.has(name) || open) return find(member, walk.member(pointers, name));
      const owner = findOwner(contract, pointers);
      return owner === undefined ? [] : [{ pointer: owner, name, value: member }];
    });
  };
  return find;
}

/** The schema that declares the members of an object: one that always applies, else the only one that does. */
function findOwner(contract: Contract, pointers: SchemaPointers): string | undefined {
  const declaring = listApplied(contract, pointers).filter(({ schema }) => schema.properties !== undefined);
  const always = declaring.find(({ isBranch }) => !isBranch);
  return (always ?? (declaring.length === 1 ? declaring[0] : undefined))?.pointer;
}

/** Creates the functions that write changes; they return undefined for what no overlay can change. */
function createChangeWriter(contract: Contract) {
  const walk = createSchemaWalk(contract);
  const keepInRequests = createRequestKeeper(contract, (pointer) => toTarget(contract, pointer));
  // An overlay changes the main file.
  const main = contract.locate('').file;
  const change = (pointer: string, message: string, toActions: (target: string) => readonly object[]) => {
    const place = contract.locate(pointer);
    if (place.file !== main || place.pointer === undefined) return undefined;
    return { message: `${formatPlace(place)}: ${message}`, actions: toActions(toJsonPath(place.pointer)) };
  };
  const allowNull = (site: string): DocumentChange | undefined => {
    const schema = contract.at(site);
    if (!isObject(schema) || typeof schema['$ref'] !== 'string') return undefined;
    const source = contract.locate(contract.resolve(schema, site).pointer);
    if (source.file !== main || source.pointer === undefined) return undefined;
    const anyOf = [{ $ref: toReference(source.pointer) }, { type: 'null' }];
    return change(site, 'also allow null', (target) => [
      { target: `${target}['$ref']`, remove: true },
      { target, update: { anyOf } },
    ]);
  };
  return {
    /** Undefined for a property that refers to another schema. */
    hide: (pointer: string): DocumentChange | undefined => {
      const schema = contract.at(pointer);
      if (!isObject(schema) || schema['$ref'] !== undefined || schema['readOnly'] === true) return undefined;
      const name = JSON.stringify(readSegments(pointer).at(-1));
      return change(pointer, `${name} is only in requests ("writeOnly")`, (target) => [
        { target, update: { writeOnly: true } },
      ]);
    },
    declare: (pointer: string, name: string, value: unknown): DocumentChange | undefined =>
      change(pointer, `declare ${JSON.stringify(name)}, which the service sends`, (target) => [
        { target, update: { properties: { [name]: toSchema(value) } } },
      ]),
    allow: (
      violation: Violation,
      { body, root }: { readonly body: unknown; readonly root: string },
    ): DocumentChange | undefined => {
      const { schemaPointer, code, pointer } = violation;
      const segments = readSegments(schemaPointer ?? '');
      const keyword = segments.at(-1);
      if (schemaPointer === undefined || keyword === undefined || !CHANGEABLE.has(code)) return undefined;
      const owner = toPointer(...segments.slice(0, -1));
      const known = contract.at(schemaPointer);
      const path = readSegments(pointer);
      const value = readPointer(body, pointer);
      if (value === null) {
        const [site] = findSites(walk, { root, body, path });
        const changed = site === undefined ? undefined : allowNull(site);
        if (changed !== undefined) return changed;
      }
      const name = path.at(-1) ?? '';
      const kept = code === 'REQUIRED' ? keepInRequests(owner, name) : [];
      const message = `${toChange(violation, body)}${kept.length === 0 ? '' : ', except in requests'}`;
      return change(owner, message, (target) => [...toActions(code, { target, keyword, known, value, name }), ...kept]);
    },
  };
}

/** The schemas at a place of an answer, as they are written there. */
function findSites(
  walk: SchemaWalk,
  { root, body, path }: Pick<CheckedAnswer, 'root' | 'body'> & { readonly path: readonly string[] },
): SchemaPointers {
  let pointers: SchemaPointers = [root];
  let value = body;
  for (const name of path) {
    pointers = Array.isArray(value) ? walk.element(pointers, Number(name)) : walk.member(pointers, name);
    value = readPointer(value, toPointer(name));
  }
  return pointers;
}

/** Violations that a change of one keyword removes. */
const CHANGEABLE: ReadonlySet<Violation['code']> = new Set([
  ...(['REQUIRED', 'TYPE', 'ENUM', 'CONST', 'PATTERN', 'FORMAT', 'RANGE', 'LENGTH'] as const),
  ...(['ITEM_COUNT', 'UNIQUE', 'MULTIPLE_OF', 'PROPERTY_COUNT', 'PROPERTY_NAME'] as const),
]);

/** The actions that make a keyword allow what was recorded, or remove it. */
function toActions(
  code: Violation['code'],
  {
    target,
    keyword,
    known,
    value,
    name,
  }: Readonly<Record<'target' | 'keyword' | 'name', string>> & {
    readonly known: unknown;
    readonly value: unknown;
  },
): readonly object[] {
  const at = `${target}[${quote(keyword)}]`;
  if (code === 'REQUIRED') return [{ target: `${at}[?@ == ${quote(name)}]`, remove: true }];
  if (code === 'ENUM') return [{ target, update: { [keyword]: [value] } }];
  const types = [...new Set([known, readJsonType(value)].flat())];
  // What the service shows in place of a value is what an item without one has.
  const update = { [keyword]: types, ...(value === null && { default: null }) };
  return [{ target: at, remove: true }, ...(code === 'TYPE' ? [{ target, update }] : [])];
}

/** A schema of a recorded value. */
function toSchema(value: unknown): object {
  // Nothing else is known.
  if (value === null) return {};
  if (Array.isArray(value)) {
    const items = value.map(toSchema).map((schema) => writeCanonical(schema));
    return { type: 'array', items: new Set(items).size === 1 ? (JSON.parse(items[0] ?? '{}') as object) : {} };
  }
  if (!isObject(value)) return { type: readJsonType(value) };
  return { type: 'object', additionalProperties: true };
}

/** The JSONPath of a pointer in the main file of a document; undefined in other files, which no overlay changes. */
export function toTarget(contract: Contract, pointer: string): string | undefined {
  const place = contract.locate(pointer);
  const isMain = place.file === contract.locate('').file && place.pointer !== undefined;
  return isMain ? toJsonPath(place.pointer) : undefined;
}

/** A JSON pointer of the document as a JSONPath, whose indices are not names: `200` is one in `responses`. */
function toJsonPath(pointer: string): string {
  const segments = readSegments(pointer);
  const isIndex = (i: number): boolean => /^\d+$/.test(segments[i] ?? '') && ARRAYS.has(segments[i - 1] ?? '');
  return `$${segments.map((segment, i) => `[${isIndex(i) ? segment : quote(segment)}]`).join('')}`;
}

/** Members of documents that are arrays of schemas or of objects with schemas. */
const ARRAYS: ReadonlySet<string> = new Set([...COMBINING_KEYWORDS, 'parameters', 'prefixItems']);

/** A name in a JSONPath (RFC 9535 section 2.3.1). */
function quote(name: string): string {
  return `'${name.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
