import type { Contract } from '../../../contract/contract.js';
import type { MediaType, Operation } from '../../../contract/operations/operation.js';
import { findJsonMedia, findResponse } from '../../../contract/operations/responses.js';
import { isJsonType, findMedia } from '../../../contract/media-type.js';
import { readPointer, readSegments, toPointer } from '../../../contract/pointer.js';
import { createFieldsReader } from '../../../contract/schema-view/fields.js';
import {
  createSchemaWalk,
  listApplied,
  type SchemaPointers,
  type SchemaWalk,
} from '../../../contract/schema-view/walk.js';
import { formatPlace } from '../../../base/errors.js';
import { addTo, isObject, isScalarType, readJsonType } from '../../../base/json.js';
import { readContentType, readField } from '../../../http/header-fields.js';
import { negotiate } from '../../../http/response/negotiate.js';
import type { Violation } from '../../../schema/violation.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles } from '../../../base/exact-json.js';
import { writeCanonical } from '../cassette/canonical.js';
import { loadJson, readText, writeBody } from '../cassette/recorded-body.js';
import type { CheckResponse } from '../../../http/response/response-check.js';
import { toChange } from '../drift/drift.js';
import type { JudgedCassette } from './failure.js';
import { findHiddenMembers } from './hidden-members.js';
import { type DocumentChange, quote, replaceReference, toTarget } from './overlay-target.js';
import { createRequestKeeper } from './request-schemas.js';

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
export function findDocumentChanges(
  cassette: JudgedCassette,
  { contract, check }: DriftParts,
): readonly DocumentChange[] {
  const write = createChangeWriter(contract);
  const undeclared = createUndeclaredFinder(contract);
  const groups = new Map<string, AnsweredExchange[]>();
  for (const exchange of cassette.exchanges) {
    const { operation, response } = exchange;
    if (response !== undefined && response.status < 300)
      addTo(groups, `${operation} ${response.status}`, { ...exchange, response });
  }
  const answers = cassette.exchanges.map((exchange) => readAnswer(cassette, exchange, contract));
  const hidden = new Map<string, DocumentChange>();
  for (const pointer of findHiddenMembers(cassette, contract, answers)) {
    const change = write.hide(pointer);
    if (change !== undefined) hidden.set(pointer, change);
  }
  const ofAnswers = answers.flatMap((answer) => {
    if (answer === undefined) return [];
    const { operation, response, body, root } = answer;
    const violations = check(operation, { ...response, body }).filter((each) => !isOfHidden(each, hidden));
    return [
      ...undeclared(body, [root]).map(({ pointer, name, value }) => write.declare(pointer, name, value)),
      ...violations.map((violation) => write.allow(violation, { body, root })),
    ];
  });
  return [
    ...[...groups.values()].flatMap((exchanges) => [
      ...relabelJson(cassette, exchanges, contract),
      ...relabelBytes(cassette, exchanges, contract),
    ]),
    ...hidden.values(),
    ...ofAnswers.filter((change) => change !== undefined),
  ];
}

/** Whether a member is required that is only written: once the document says so, it is not. */
function isOfHidden({ code, schemaPointer = '', pointer }: Violation, hidden: ReadonlyMap<string, unknown>): boolean {
  const owner = schemaPointer.replace(/\/required$/, '');
  return code === 'REQUIRED' && hidden.has(owner + toPointer('properties', readSegments(pointer).at(-1) ?? ''));
}

function readAnswer(cassette: JudgedCassette, exchange: StoredExchange, contract: Contract): CheckedAnswer | undefined {
  const { response } = exchange;
  const operation = contract.operation(exchange.operation);
  if (operation === undefined || response === undefined || response.status >= 300) return undefined;
  const type = readContentType(response.headers) ?? '';
  const media = findMedia(findResponse(operation, response.status)?.content ?? [], type);
  const body = toDoubles(loadJson(cassette.folder, response));
  const isJson = isJsonType(type) || media?.isJson === true;
  if (media?.schema === undefined || body === undefined || !isJson || cassette.hasFailed(exchange)) return undefined;
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
function relabelJson(
  cassette: Cassette,
  exchanges: readonly AnsweredExchange[],
  contract: Contract,
): readonly DocumentChange[] {
  const firsts = new Map(exchanges.toReversed().map((exchange) => [readType(exchange), exchange]));
  const content = readContent(exchanges, contract);
  const declared = findJsonMedia(content);
  if (declared?.schema === undefined) return [];
  const { schema } = contract.resolve(declared.schema, declared.schemaPointer);
  // Some services send both; and the content of a file is text, whatever it is.
  const isText = isObject(schema) && isScalarType(schema['type']);
  const isLabelled = declared.isJson === true && !declared.type.includes('*');
  if (isText || isLabelled || [...firsts.keys()].some(isJsonType)) return [];
  return [...firsts].flatMap(([type, { request, response }]): readonly DocumentChange[] => {
    if (type === '' || loadJson(cassette.folder, response) === undefined) return [];
    const others = content.filter((media) => media !== declared);
    const isKnown = findMedia(others, type) !== undefined;
    // Some services send what was asked for.
    const accept = readField(request.headers, 'accept') ?? null;
    if (isKnown && negotiate(accept, [declared.type]) === undefined) return [];
    return relabel(contract, declared, { sent: type, isKnown });
  });
}

/** The changes after which answers of bytes have the media type that the service labels them with; any, if there are several. */
function relabelBytes(
  cassette: Cassette,
  exchanges: readonly AnsweredExchange[],
  contract: Contract,
): readonly DocumentChange[] {
  const types = new Set(exchanges.map(readType));
  const [declared, ...others] = readContent(exchanges, contract);
  if (declared === undefined || others.length > 0 || types.has('')) return [];
  if ([...types].every((type) => findMedia([declared], type) !== undefined)) return [];
  const isBytes = exchanges.every(({ response }) => {
    const bytes = writeBody(cassette.folder, response);
    return bytes !== undefined && readText(bytes) === undefined;
  });
  const [type = '*/*', ...more] = types;
  return isBytes ? relabel(contract, declared, { sent: more.length === 0 ? type : '*/*', isKnown: false }) : [];
}

/** The declared content of the answers of exchanges. */
function readContent([first]: readonly AnsweredExchange[], contract: Contract): readonly MediaType[] {
  const operation = contract.operation(first?.operation ?? '');
  return (operation && first && findResponse(operation, first.response.status)?.content) ?? [];
}

/** The change that gives a declared media type another name. @param isKnown - Whether that one is declared too. */
function relabel(
  contract: Contract,
  { type, pointer }: MediaType,
  { sent, isKnown }: { readonly sent: string; readonly isKnown: boolean },
): readonly DocumentChange[] {
  const above = toPointer(...readSegments(pointer).slice(0, -1));
  const target = toTarget(contract, above);
  if (target === undefined) return [];
  const message = `${formatPlace(contract.locate(above))}: send "${sent}" in place of "${type}", as the service does`;
  const remove = { target: `${target}[${quote(type)}]`, remove: true };
  const update = { target, update: { [sent]: contract.at(pointer) } };
  return [{ message, actions: [remove, ...(isKnown ? [] : [update])] }];
}

function readType({ response }: AnsweredExchange): string {
  return readContentType(response.headers) ?? '';
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
  const keepInRequests = createRequestKeeper(contract);
  const toChanges = (pointer: string, message: string, actions: readonly object[] | undefined) =>
    actions && { message: `${formatPlace(contract.locate(pointer))}: ${message}`, actions };
  const change = (pointer: string, message: string, toActions: (target: string) => readonly object[]) => {
    const target = toTarget(contract, pointer);
    return toChanges(pointer, message, target === undefined ? undefined : toActions(target));
  };
  const allowNull = (site: string): DocumentChange | undefined =>
    toChanges(
      site,
      'also allow null',
      replaceReference(contract, site, (reference) => ({ anyOf: [reference, { type: 'null' }] })),
    );
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
