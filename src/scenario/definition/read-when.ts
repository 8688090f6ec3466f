import { isObject } from '../../contract/json.js';
import type { Operation, Parameter } from '../../contract/operations/operation.js';
import { toPointer } from '../../contract/pointer.js';
import { nearest } from '../../errors.js';
import type { Reading } from '../ground.js';
import { type CallRange, readCallRange } from '../rules/call-range.js';
import { readPresence } from '../rules/match.js';
import type { CollectionCondition, When } from '../rules/rule.js';
import { checkParts, knownParameters } from './check-value.js';
import { describe, type Given, isRecord, member, readItems, readMembers } from './read.js';
import { didYouMean } from './source.js';

const WHEN_KEYS = ['path', 'query', 'header', 'cookie', 'body', 'call', 'state'] as const;

/** The conditions of a rule; undefined where there are none or they cannot be read. */
export function readWhen(given: Given, reading: Reading): When | undefined {
  if (given.value === undefined || !isRecord(given, '"when"', WHEN_KEYS)) return undefined;
  const body = member(given, 'body');
  if (body.value !== undefined) checkBody(body, reading);
  const state = member(given, 'state');
  return {
    path: readParameters(member(given, 'path'), 'path', reading),
    query: readParameters(member(given, 'query'), 'query', reading),
    header: readParameters(member(given, 'header'), 'header', reading),
    cookie: readParameters(member(given, 'cookie'), 'cookie', reading),
    body: body.value,
    call: readRange(member(given, 'call'), '"call"', 1),
    collections: readConditions(state, reading),
    vars: readVars(state, reading),
  };
}

type Place = 'path' | 'query' | 'header' | 'cookie';

function readParameters(given: Given, place: Place, reading: Reading): Readonly<Record<string, unknown>> {
  if (given.value === undefined) return {};
  const names = readMembers(given, `"when.${place}"`) ?? [];
  for (const name of names) checkParameter(member(given, name), { name, place }, reading);
  const toName = (name: string): string => (place === 'header' ? name.toLowerCase() : name);
  return Object.fromEntries(names.map((name) => [toName(name), member(given, name).value]));
}

function checkParameter(given: Given, asked: { readonly name: string; readonly place: Place }, reading: Reading): void {
  const { name, place } = asked;
  // A rule for every operation is about whatever each of them has: it simply does not apply where the parameter is unknown.
  const [operation, ...others] = reading.operations;
  if (operation === undefined || others.length > 0) return;
  const declared = operation.parameters.filter((parameter) => parameter.in === place);
  const found = declared.find((parameter) => isSame(parameter, name));
  if (found !== undefined) return checkParameterValue(given, found, reading);
  const names = [...declared.map((parameter) => parameter.name), ...credentialNames(operation, place, reading)];
  if (names.includes(name)) return;
  // Any header and cookie may be asked for; one that is nearly a declared one is a slip of the pen.
  const free = place === 'header' || place === 'cookie';
  if (free && nearest(name, names) === undefined) return;
  const message = `${place} parameter ${JSON.stringify(name)} is not declared for ${JSON.stringify(operation.id)}`;
  given.notes.wrong(given.pointer, message, didYouMean(name, names, knownParameters(names, place)));
}

function isSame(parameter: Parameter, name: string): boolean {
  return parameter.in === 'header' ? parameter.name.toLowerCase() === name.toLowerCase() : parameter.name === name;
}

function credentialNames(operation: Operation, place: Place, reading: Reading): readonly string[] {
  const schemes = operation.security.flatMap((requirement) => Object.keys(requirement));
  return schemes.flatMap((scheme) => {
    const declared = reading.ground.contract.securitySchemes[scheme];
    return declared?.in === place && declared.key !== undefined ? [declared.key] : [];
  });
}

function checkParameterValue(given: Given, parameter: Parameter, reading: Reading): void {
  // `null` and `{ present }` ask whether it is there at all.
  if (readPresence(given.value) !== undefined) return;
  if (isObject(given.value) && !isStructured(parameter, reading)) {
    const hint = 'write the value itself, or { present: true } for any value';
    given.notes.wrong(given.pointer, `${parameter.in} parameter ${JSON.stringify(parameter.name)} is no object`, hint);
    return;
  }
  if (isObject(given.value)) return;
  if (reading.violates) return;
  const check = reading.ground.check(parameter.schemaPointer, 'request');
  const results = readings(given.value).map((value) => check(value, 'query'));
  if (results.some((violations) => violations.length === 0)) return;
  const message = `${parameter.in} parameter ${JSON.stringify(parameter.name)} can never be ${describe(given.value)}`;
  given.notes.wrong(given.pointer, message, results[0]?.[0]?.message);
}

/** Whether a parameter takes an object, of which a rule may ask for some members. */
function isStructured(parameter: Parameter, reading: Reading): boolean {
  const { schema } = reading.ground.contract.resolve(parameter.schema, parameter.schemaPointer);
  const isPlain = isObject(schema) && typeof schema['type'] === 'string' && schema['type'] !== 'object';
  return !isPlain;
}

/** What a value that was written down may mean: itself, its text, the number a text is, the only item of a list. */
function readings(value: unknown): readonly unknown[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return [value, text, [value], [text], ...(Number.isNaN(number) ? [] : [number])];
}

function checkBody(given: Given, reading: Reading): void {
  const [operation, ...others] = reading.operations;
  if (operation === undefined || others.length > 0) return;
  if (operation.body === undefined) {
    given.notes.wrong(given.pointer, `${JSON.stringify(operation.id)} takes no body`);
    return;
  }
  if (reading.violates) return;
  const pointers = operation.body.content.flatMap((media) => (media.schema === undefined ? [] : [media.schemaPointer]));
  checkParts(given, { ground: reading.ground, pointers, direction: 'request', what: `the body of ${operation.id}` });
}

function readRange(given: Given, what: string, lowest: number): CallRange | undefined {
  if (given.value === undefined) return undefined;
  const range = readCallRange(given.value, lowest);
  if (typeof range !== 'string') return range;
  given.notes.wrong(given.pointer, `${what} ${range}`);
  return undefined;
}

function readConditions(given: Given, reading: Reading): readonly CollectionCondition[] {
  if (given.value === undefined) return [];
  const names = readMembers(given, '"when.state"') ?? [];
  return names
    .filter((name) => name !== 'vars')
    .flatMap((name) => {
      const condition = member(given, name);
      checkCollection(condition, name, reading);
      if (!isRecord(condition, 'a condition on a collection', ['count', 'has', 'lacks'])) return [];
      return {
        name,
        count: readRange(member(condition, 'count'), '"count"', 0),
        has: readIds(member(condition, 'has')),
        lacks: readIds(member(condition, 'lacks')),
      };
    });
}

/** Notes a collection that nobody knows. */
export function checkCollection(given: Given, name: string, reading: Reading): void {
  const names = reading.ground.collections.map((collection) => collection.name);
  if (names.includes(name)) return;
  const known = names.length === 0 ? 'the contract has no collections' : `collections: ${names.join(', ')}`;
  given.notes.wrong(given.pointer, `no collection is called ${JSON.stringify(name)}`, didYouMean(name, names, known));
}

function readIds(given: Given): readonly string[] {
  if (given.value === undefined) return [];
  if (typeof given.value === 'string' || typeof given.value === 'number') return [String(given.value)];
  return readItems(given, 'a list of ids').map((item) => String(item.value));
}

function readVars(given: Given, reading: Reading): Readonly<Record<string, unknown>> {
  const vars = member({ ...given, value: given.value ?? {} }, 'vars');
  if (vars.value === undefined) return {};
  const names = readMembers(vars, '"when.state.vars"') ?? [];
  for (const name of names.filter((each) => !reading.vars.has(each))) {
    const hint = didYouMean(name, reading.vars, 'give it a first value under "vars" at the top of the file');
    vars.notes.wrong(vars.pointer + toPointer(name), `no var is called ${JSON.stringify(name)}`, hint);
  }
  return Object.fromEntries(names.map((name) => [name, member(vars, name).value]));
}
