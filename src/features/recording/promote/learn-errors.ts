import { URLSearchParams } from 'node:url';
import { toDoubles } from '../../../base/exact-json.js';
import { addTo, filterMembers, isObject, mapScalars, mapValues } from '../../../base/json.js';
import { escapePattern } from '../../../base/text.js';
import { isFormType, isJsonType } from '../../../contract/media-type.js';
import { toPointer } from '../../../contract/pointer.js';
import { CONDITIONS, type ErrorCondition } from '../../../conventions/error-conditions.js';
import { means } from '../../../conventions/conventions.js';
import { readContentType } from '../../../http/header-fields.js';
import { toGeneralCondition } from '../../../http/response/error-conditions.js';
import { writeCanonical } from '../cassette/canonical.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { loadBody, readText, writeBody } from '../cassette/recorded-body.js';
import { INVALID, type JudgedCassette } from './failure.js';
import { isRepeatedMember } from './repeated-members.js';
import type { Refusal, RerunDifference } from './rerun.js';

/** The template of an error (`x-mock.errors`). */
interface LearnedError {
  readonly status?: number;
  readonly body: unknown;
  readonly mediaType?: string;
}

/** Templates by condition. */
type LearnedErrors = Readonly<Record<string, LearnedError>>;

/** The templates of errors that recordings show. */
export interface ErrorHints {
  readonly document: LearnedErrors;
  /** By operation id. */
  readonly operations: ReadonlyMap<string, LearnedErrors>;
}

/** An operation as errors are learned for it. */
interface ErrorOperation {
  readonly id: string;
  readonly path: string;
  /** Undefined without one. */
  readonly collection: string | undefined;
}

/** A recorded error of an operation, for a reason for which the mock refuses too. */
interface Sample {
  readonly operation: string;
  readonly condition: ErrorCondition;
  readonly template: LearnedError;
}

/**
 * What errors look like where the mock refuses what the service refused: their status, media type and body, in which values of the request
 * are placeholders.
 */
export function learnErrors(
  cassette: JudgedCassette,
  differences: readonly RerunDifference[],
  operations: readonly ErrorOperation[],
): ErrorHints {
  const samples = differences.flatMap(({ exchange, refusal }) => toSample(cassette, exchange, refusal) ?? []);
  const document = new Map<string, LearnedError>();
  const own = new Map<string, Map<string, LearnedError>>();
  const add = (operation: string, condition: string, template: LearnedError): void => {
    const known = own.get(operation) ?? new Map<string, LearnedError>();
    own.set(operation, known);
    if (!known.has(condition)) known.set(condition, template);
  };
  for (const [condition, ofCondition] of groupBy(samples, (sample) => sample.condition)) {
    const ofOperations = groupBy(ofCondition, ({ operation }) => operation);
    const usual = findUsual(ofCondition);
    const isShared = [...ofOperations.values()].every((each) => isSame(findUsual(each), usual));
    const known = operations.filter(({ id }) => ofOperations.has(id));
    const isGeneral = GENERAL.has(condition) || new Set(known.map(({ collection }) => collection)).size > 1;
    if (usual !== undefined && isShared && isGeneral) {
      document.set(condition, usual);
      continue;
    }
    for (const [id, each] of ofOperations) {
      const template = findUsual(each);
      if (template !== undefined) add(id, condition, template);
    }
    for (const [id, template] of listSiblings(operations, ofOperations)) add(id, condition, template);
  }
  for (const templates of own.values()) addGeneral(templates);
  return {
    document: Object.fromEntries(document),
    operations: new Map([...own].map(([id, templates]) => [id, Object.fromEntries(templates)])),
  };
}

/** Errors that say nothing about what was asked for. */
const GENERAL: ReadonlySet<ErrorCondition> = new Set(['unauthorized', 'forbidden', 'rate-limited', 'not-acceptable']);

/** The template that most samples have; the first of them. */
function findUsual(samples: readonly Sample[]): LearnedError | undefined {
  const groups = [...groupBy(samples, ({ template }) => writeCanonical(template)).values()];
  const [usual] = groups.toSorted((one, other) => other.length - one.length);
  return usual?.[0]?.template;
}

function groupBy<Key>(
  samples: readonly Sample[],
  readKey: (sample: Sample) => Key,
): ReadonlyMap<Key, readonly Sample[]> {
  const groups = new Map<Key, Sample[]>();
  for (const sample of samples) addTo(groups, readKey(sample), sample);
  return groups;
}

function isSame(one: unknown, other: unknown): boolean {
  return writeCanonical(one) === writeCanonical(other);
}

/** The operations on a collection whose other operations show an error that depends on the path alone, such as that of an unknown item. */
function listSiblings(
  operations: readonly ErrorOperation[],
  samples: ReadonlyMap<string, readonly Sample[]>,
): readonly (readonly [id: string, template: LearnedError])[] {
  return operations.flatMap((operation) => {
    const isFitting = (template: LearnedError, other: ErrorOperation): boolean => {
      // Methods of one path have their parameters in the same place.
      if (operation.path.includes('#') && toBase(operation) === toBase(other)) return true;
      const used = [...JSON.stringify(template).matchAll(/\{\$request\.(?:path\.([^{}]+))?/g)];
      return used.every(([, name]) => name !== undefined && operation.path.includes(`{${name}}`));
    };
    const found = operations.flatMap((other) => {
      const template = findUsual(samples.get(other.id) ?? []);
      const isNear = operation.collection !== undefined && other.collection === operation.collection;
      const isBelow = [...other.path.matchAll(/\{[^}]+\}/g)].every(([name]) => operation.path.includes(name));
      return isBelow && template !== undefined && isNear && isFitting(template, other) ? [template] : [];
    });
    const [first] = found;
    return first === undefined || samples.has(operation.id) ? [] : [[operation.id, first] as const];
  });
}

function toBase({ path }: ErrorOperation): string {
  return path.replace(/#.*$/, '');
}

/** Adds the form of other errors of an invalid request: the same with the sentence of the mock. */
function addGeneral(templates: Map<string, LearnedError>): void {
  const kind = [...templates.keys()].find(
    (key) => key !== 'invalid-request' && toGeneralCondition(key as ErrorCondition) === 'invalid-request', // keys are conditions
  );
  const template = kind === undefined ? undefined : templates.get(kind);
  if (template === undefined || templates.has('invalid-request')) return;
  const isSentence = (value: unknown): boolean => typeof value === 'string' && value.includes(' ');
  const body = mapScalars(template.body, (value) => (isSentence(value) ? '{message}' : value));
  templates.set('invalid-request', { ...template, body });
}

function toSample(
  cassette: JudgedCassette,
  exchange: StoredExchange,
  refusal: Refusal | undefined,
): Sample | undefined {
  const { request, response, operation } = exchange;
  if (refusal === undefined || response === undefined || request.method === 'HEAD') return undefined;
  const { condition } = refusal;
  const form = readForm(cassette, response);
  if (form === undefined) return undefined;
  const isReported = response.status < 400 && cassette.hasFailed(exchange);
  if (!isReported && !isSameKind(response.status, condition)) return undefined;
  const body = repeatMembers(generalize(form.body, { exchange, param: refusal.param }), form.body, exchange);
  const status = CONDITIONS[condition].statuses[0] === response.status ? {} : { status: response.status };
  return { operation, condition, template: { ...status, ...form, body } };
}

/** Whether a service that refuses with a status may mean the condition for which the mock refuses. */
function isSameKind(status: number, condition: ErrorCondition): boolean {
  const general = toGeneralCondition(condition);
  const { statuses } = CONDITIONS[general];
  return statuses.includes(status) || INVALID.has(status) || (general === 'unauthorized' && status === 403);
}

/** The body of an error with its media type; undefined for one that no template can have. */
function readForm(
  { folder }: Cassette,
  response: NonNullable<StoredExchange['response']>,
): Pick<LearnedError, 'body' | 'mediaType'> | undefined {
  const mediaType = readContentType(response.headers);
  const bytes = writeBody(folder, response);
  if (bytes === undefined || bytes.byteLength === 0) return { body: '' };
  if (mediaType === undefined || !/^[a-z]+\/[a-z0-9.+-]+$/.test(mediaType)) return undefined;
  const text = readText(bytes);
  // A placeholder is not text of the service.
  if (text === undefined || /\{[\w-]+\}|\{\$request\./.test(text)) return undefined;
  if (!isJsonType(mediaType)) return { body: text, mediaType };
  const body = toDoubles(loadBody(folder, response).body);
  return body === undefined ? undefined : { body, mediaType };
}

/** A value of a request, and the placeholder that has it. */
interface RequestValue {
  readonly value: unknown;
  readonly placeholder: string;
}

/** A body in which the values of the request are placeholders. */
export function generalize(
  body: unknown,
  { exchange, param }: { readonly exchange: StoredExchange; readonly param: string | undefined },
): unknown {
  const values = [
    ...(param === undefined ? [] : [{ value: param, placeholder: '{param}' }]),
    ...listRequestValues(exchange, body),
  ].toSorted((one, other) => String(other.value).length - String(one.value).length);
  const byText = new Map(values.toReversed().map((each) => [String(each.value), each]));
  if (byText.size === 0) return body;
  const texts = values.map(({ value }) => escapePattern(String(value))).join('|');
  // Not a part of a word.
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}_-])(?:${texts})(?![\p{L}\p{N}_-])`, 'gu');
  return mapScalars(body, (scalar) => {
    if (typeof scalar === 'number') {
      const known = byText.get(String(scalar));
      return known?.value === scalar ? known.placeholder : scalar;
    }
    if (typeof scalar !== 'string') return scalar;
    const whole = byText.get(scalar);
    // The placeholder has the type that the value has in the request.
    if (whole !== undefined && isObject(body) && typeof whole.value !== 'string') return scalar;
    return scalar.replace(pattern, (text) => byText.get(text)?.placeholder ?? text);
  });
}

/** A body whose members that repeat one of the request, however short, are placeholders. */
function repeatMembers(body: unknown, shown: unknown, { request }: StoredExchange): unknown {
  const sent = readSent(request);
  if (!isObject(body) || !isObject(shown) || !isObject(sent)) return body;
  return mapValues(body, (value, name) =>
    isRepeatedMember(name, { sent, shown }) ? `{$request.body#${toPointer(name)}}` : value,
  );
}

/** @param body - What repeats a member of it as it is has its own placeholder. */
function listRequestValues({ request }: StoredExchange, body: unknown): readonly RequestValue[] {
  const path = Object.entries(request.pathParams).map(([name, value]) => ({
    value: toDoubles(value),
    placeholder: `{$request.path.${name}}`,
  }));
  const query = Object.entries(request.query).map(([name, value]) => ({
    value: toDoubles(value),
    placeholder: `{$request.query.${name}}`,
  }));
  const isScalar = ({ value }: RequestValue): boolean =>
    (typeof value === 'string' && value !== '') || typeof value === 'number';
  // A shorter one is in other texts by chance.
  const isLong = ({ value, placeholder }: RequestValue): boolean =>
    String(value).length > 1 || means(/\w+(?=\}$)/.exec(placeholder)?.[0] ?? '', 'ids.id');
  const sent = readSent(request);
  const shown = isObject(body) ? body : {};
  const own = isObject(sent) ? filterMembers(sent, (name) => !isRepeatedMember(name, { sent, shown })) : sent;
  const others = [...listBodyValues(own, []), ...query].filter(isLong);
  return [...path, ...others].filter((each) => isScalar(each) && !/[{}]/.test(each.placeholder.slice(1, -1)));
}

/** The JSON of a request, or the fields of its form. */
function readSent({ body, bodyText, headers }: StoredExchange['request']): unknown {
  const isForm = body === undefined && bodyText !== undefined && isFormType(readContentType(headers) ?? '');
  return isForm ? Object.fromEntries(new URLSearchParams(bodyText)) : toDoubles(body);
}

function listBodyValues(value: unknown, path: readonly string[]): readonly RequestValue[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown, i) => listBodyValues(item, [...path, String(i)]));
  if (isObject(value)) return Object.entries(value).flatMap(([name, each]) => listBodyValues(each, [...path, name]));
  return [{ value, placeholder: `{$request.body#${toPointer(...path)}}` }];
}
