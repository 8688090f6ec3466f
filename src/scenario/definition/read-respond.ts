import { type Schema, setOwn } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import { toPointer } from '../../contract/pointer.js';
import { findResponse, findUsualResponse } from '../../contract/operations/responses.js';
import type { Reading } from '../ground.js';
import { findExpressions } from '../rules/expression.js';
import type { Patch, Respond } from '../rules/rule.js';
import { type Against, checkExpressions, checkPartial, checkParts } from './check-value.js';
import { readFault } from './read-fault.js';
import { describe, type Given, isRecord, listWords, member, readMembers, readText, readWhole } from './read.js';
import { didYouMean } from './source.js';

const RESPOND_KEYS = ['status', 'example', 'body', 'headers', 'mediaType'] as const;

// RFC 9110 5.6.2: a header name is a token.
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that belong to the connection or follow from the body, and so are never a scenario's to say. */
const FRAMING: ReadonlyMap<string, string> = new Map([
  ['content-length', 'it follows from the body'],
  ['transfer-encoding', 'it follows from the body'],
  ['connection', 'it belongs to the connection'],
  ['keep-alive', 'it belongs to the connection'],
  ['upgrade', 'it belongs to the connection'],
  ['content-type', 'write mediaType beside "status" instead'],
]);

/** An answer to give, as `respond` or as one step of a sequence. */
export function readRespond(
  given: Given,
  what: '"respond"' | 'a step of "sequence"',
  reading: Reading,
): Respond | undefined {
  const keys = what === '"respond"' ? RESPOND_KEYS : [...RESPOND_KEYS, 'fault'];
  if (!isRecord(given, what, keys)) return undefined;
  const status = readStatus(member(given, 'status'), reading);
  const example = member(given, 'example');
  const body = member(given, 'body');
  const respond: Respond = {
    status,
    example: example.value === undefined ? undefined : readText(example, '"example"'),
    body: body.value,
    headers: readHeaders(member(given, 'headers')),
    mediaType:
      member(given, 'mediaType').value === undefined ? undefined : readText(member(given, 'mediaType'), '"mediaType"'),
    fault: readStepFault(member(given, 'fault')),
  };
  if (respond.example !== undefined && body.value !== undefined) {
    given.notes.wrong(
      example.pointer,
      `${what} has an example and a body`,
      'keep one of the two, or change the example with "patch"',
    );
  } else if (respond.example !== undefined) {
    checkExample(example, respond, reading);
  } else if (body.value !== undefined) {
    checkExpressions(body, reading);
    if (!reading.violates) checkBody(body, respond, reading);
  }
  if (respond.mediaType !== undefined && !reading.violates)
    checkMediaType(member(given, 'mediaType'), respond, reading);
  return respond;
}

/** A merge patch over the answer from below. */
export function readPatch(given: Given, reading: Reading): Patch | undefined {
  const names = readMembers(given, '"patch"') ?? [];
  const strange = names.filter((name) => !['status', 'headers', 'body'].includes(name));
  for (const name of strange) {
    const hint = `to change the body write patch: { body: { ${name}: … } }`;
    given.notes.wrong(given.pointer + toPointer(name), `unknown key ${JSON.stringify(name)} in "patch"`, hint);
  }
  const body = member(given, 'body');
  if (body.value !== undefined) checkExpressions(body, reading);
  const status = readStatus(member(given, 'status'), reading);
  if (body.value !== undefined && !reading.violates && strange.length === 0) checkPatchBody(body, status, reading);
  return { status, headers: readHeaders(member(given, 'headers')), body: body.value };
}

function readStatus(given: Given, reading: Reading): number | undefined {
  if (given.value === undefined) return undefined;
  const status = readWhole(given, '"status"', [200, 599]);
  if (status === undefined || reading.violates) return status;
  const silent = reading.operations.filter((operation) => findResponse(operation, status) === undefined);
  const [first] = silent;
  if (first === undefined) return status;
  const [only, ...more] = reading.operations.length > 1 ? silent.map((operation) => operation.id) : [first.id];
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const documented = first.responses.map((response) => response.status);
  const list = documented.length === 0 ? 'it documents none' : `it documents ${listWords(documented)}`;
  const hint = `${list}; to answer ${status} all the same, add violates: "why"`;
  given.notes.wrong(given.pointer, `status ${status} is not documented for ${JSON.stringify(only)}${others}`, hint);
  return status;
}

function readStepFault(given: Given): Respond['fault'] {
  if (given.value === undefined) return undefined;
  const effect = readFault(given);
  if (effect?.kind === 'rate-limit') {
    given.notes.wrong(given.pointer, 'a rate limit cannot be a step of a sequence', 'make it a rule of its own');
  }
  return effect?.kind === 'fault' ? effect.fault : undefined;
}

function readHeaders(given: Given): Readonly<Record<string, string | readonly string[]>> {
  if (given.value === undefined) return {};
  const headers: Record<string, string | readonly string[]> = {};
  for (const name of readMembers(given, '"headers"') ?? []) {
    const header = member(given, name);
    const lower = name.toLowerCase();
    const reason = FRAMING.get(lower);
    if (!TOKEN.test(name)) {
      given.notes.wrong(header.pointer, `${JSON.stringify(name)} cannot be the name of a header`);
    } else if (reason !== undefined) {
      given.notes.wrong(header.pointer, `a scenario cannot set the header ${JSON.stringify(name)}`, reason);
    } else {
      setOwn(headers, lower, readHeader(header));
    }
  }
  return headers;
}

function readHeader(given: Given): string | readonly string[] {
  const toText = (value: unknown): string | undefined => {
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    // RFC 9110 5.5: no line breaks, and nothing above Latin-1 that would have to be guessed.
    return typeof text === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(text) ? text : undefined;
  };
  const values = Array.isArray(given.value) ? given.value.map(toText) : [toText(given.value)];
  if (values.includes(undefined)) {
    given.notes.wrong(given.pointer, `a header must be a text on one line, not ${describe(given.value)}`);
    return '';
  }
  // Nothing undefined is left.
  const texts = values as readonly string[];
  return Array.isArray(given.value) ? texts : (texts[0] ?? '');
}

function checkExample(given: Given, respond: Respond, reading: Reading): void {
  for (const operation of reading.operations) {
    const responses = responsesFor(operation, respond.status);
    const names = responses.flatMap((response) =>
      response.content.flatMap((media) => media.examples.map((each) => each.name)),
    );
    if (names.includes(respond.example ?? '')) continue;
    const where = respond.status === undefined ? '' : ` for status ${respond.status}`;
    const known = [...new Set(names)].filter((name) => name !== '');
    const hint = didYouMean(
      String(given.value),
      known,
      known.length === 0 ? 'it has none' : `it has ${listWords(known)}`,
    );
    given.notes.wrong(
      given.pointer,
      `${JSON.stringify(operation.id)} has no example ${JSON.stringify(given.value)}${where}`,
      hint,
    );
    return;
  }
}

function responsesFor(operation: Operation, status: number | undefined): Operation['responses'] {
  if (status === undefined) return operation.responses;
  const declared = findResponse(operation, status);
  return declared === undefined ? [] : [declared];
}

/** The body is held against each operation's schema for that status; the first one it does not suit is named. */
function checkBody(given: Given, respond: Respond, reading: Reading): void {
  const before = given.notes.mistakes.length;
  const seen = new Set<string>();
  for (const operation of reading.operations) {
    const against = againstResponse(operation, respond, reading);
    const key = against?.pointers.map((pointer) => readTarget(pointer, reading)).join() ?? '';
    if (against === undefined || seen.has(key) || findExpressions(given.value).some((each) => each.pointer === ''))
      continue;
    seen.add(key);
    checkPartial(given, against);
    if (given.notes.mistakes.length > before) return;
  }
}

/** Where a schema stands once its references are followed: two operations that share it are checked once. */
function readTarget(pointer: string, reading: Reading): string {
  // A schema pointer of the contract leads to a schema.
  return reading.ground.contract.resolve(reading.ground.contract.at(pointer) as Schema, pointer).pointer;
}

function checkPatchBody(given: Given, status: number | undefined, reading: Reading): void {
  for (const operation of reading.operations.length === 1 ? reading.operations : []) {
    const responses = responsesFor(operation, status).filter(
      (each) => status !== undefined || each.status.startsWith('2'),
    );
    const media = responses.flatMap((response) => response.content).filter((each) => each.schema !== undefined);
    const pointers = media.map((each) => each.schemaPointer);
    if (pointers.length === 0) continue;
    checkParts(given, {
      ground: reading.ground,
      pointers,
      direction: 'response',
      what: `the answer of ${operation.id}`,
    });
  }
}

/** The first media type the body may be written in, and its schema; undefined where anything goes. */
function againstResponse(operation: Operation, respond: Respond, reading: Reading): Against | undefined {
  const { status: asked } = respond;
  const response = asked === undefined ? findUsualResponse(operation) : findResponse(operation, asked);
  const wanted = respond.mediaType?.split(';')[0]?.trim().toLowerCase();
  const media = response?.content.find((each) => wanted === undefined || each.type.split(';')[0] === wanted);
  if (response === undefined || media?.schema === undefined) return undefined;
  const status = respond.status ?? response.status;
  const whose = reading.operations.length > 1 ? ` of ${operation.id}` : '';
  const what = `the body of ${status}${whose}`;
  return { ground: reading.ground, pointers: [media.schemaPointer], direction: 'response', what };
}

function checkMediaType(given: Given, respond: Respond, reading: Reading): void {
  for (const operation of reading.operations) {
    const types = responsesFor(operation, respond.status).flatMap((response) =>
      response.content.map((media) => media.type),
    );
    const wanted = (respond.mediaType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    if (types.some((type) => matchesType(type, wanted))) continue;
    const hint = didYouMean(
      wanted,
      types,
      types.length === 0 ? 'it has no body' : `it documents ${listWords([...new Set(types)])}`,
    );
    given.notes.wrong(
      given.pointer,
      `media type ${JSON.stringify(wanted)} is not documented for ${JSON.stringify(operation.id)}`,
      hint,
    );
    return;
  }
}

/** Whether a documented type or range takes a concrete type. */
function matchesType(documented: string, wanted: string): boolean {
  const type = documented.split(';')[0] ?? '';
  return type === wanted || type === '*/*' || (type.endsWith('/*') && wanted.startsWith(type.slice(0, -1)));
}
