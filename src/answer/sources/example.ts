import type { Contract } from '../../contract/contract.js';
import { filterMembers, isObject, listExamples, omitAt } from '../../base/json.js';
import type { Example, MediaType } from '../../contract/operations/operation.js';
import { readSegments } from '../../contract/pointer.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import { memoize } from '../../base/memoize.js';
import { listErrors, NO_VIOLATIONS, type Violation } from '../../schema/violation.js';
import type { AnswerSource, Exchange, SourceParts } from '../chain.js';
import { chooseResponse, type ResponseChoice } from '../choose-response.js';
import { createDeclaredHeaders, locateCreated } from '../declared-headers.js';
import { createExampleCheck } from '../example-check.js';
import { createGenerateAnswer, readContext } from './generate.js';

/** The parts that the example source is created from. */
export interface ExampleParts extends SourceParts {
  /** `fitting` (default) serves examples that fit their schemas, `verbatim` any of them unchanged, `none` only those that a request names. */
  readonly examples?: 'fitting' | 'verbatim' | 'none' | undefined;
}

/** Answers with an example of a response; undefined if it has none that can be served. */
export type ExampleAnswer = (exchange: Exchange, choice: ResponseChoice, name?: string) => Answer | undefined;

/**
 * Answers with the first example of the contract that fits its schema.
 *
 * If none of several fits, the first one is repaired: its valid parts are kept, the rest is generated.
 */
export function createExampleSource(parts: ExampleParts): AnswerSource {
  const answerExample = createExampleAnswer(parts);
  return {
    name: 'example',
    onInvalid: 'pass',
    hint: 'Correct the example in the contract, or serve examples unchanged with examples: verbatim.',
    answer: (exchange, next) => {
      if (parts.examples === 'none') {
        exchange.note('example: switched off');
        return next(exchange);
      }
      const { call } = exchange;
      const choice = chooseResponse(call.operation, call.accept);
      if (choice === undefined) exchange.note('example: the operation declares no final response');
      return (choice && answerExample(exchange, choice)) ?? next(exchange);
    },
  };
}

/** Creates a function that answers with examples. */
export function createExampleAnswer(parts: ExampleParts): ExampleAnswer {
  const readExamples = createExampleReader(parts);
  const writeHeaders = createDeclaredHeaders(parts.generator, parts.validators);
  const generate = createGenerateAnswer(parts);
  return (exchange, choice, name) => {
    const { media, mediaType, status, response } = choice;
    const { note } = exchange;
    if (media === undefined || response === undefined) {
      if (name === undefined) note(`example: the response ${status} has no content`);
      return undefined;
    }
    const { fitting, broken, why } = readExamples(media);
    const example = name === undefined ? fitting[0] : fitting.find((one) => one.name === name);
    if (why !== undefined && name === undefined) note(why);
    if (example === undefined) {
      const repairable = name === undefined ? broken.find(({ value }) => value !== null) : undefined;
      if (repairable === undefined) {
        if (broken.length === 0 && name === undefined) note(`example: the response ${status} ${mediaType} has none`);
        return undefined;
      }
      note(`example: the valid parts of ${nameExample(repairable)} were kept, the rest generated`);
      return generate(exchange, choice, { hint: repairable.value });
    }
    note(`example: answered with ${nameExample(example)} of the response ${status} ${mediaType}`);
    const isVerbatim = parts.examples === 'verbatim' || name !== undefined;
    const body = isVerbatim ? example.value : repeatSent(parts, media, { example: example.value, call: exchange.call });
    const located = locateCreated(exchange.call, response, { status, body });
    const fields = response.headers.length === 0 ? {} : writeHeaders(response, readContext(exchange), located);
    return {
      status,
      headers: { ...fields, ...located },
      body,
      mediaType,
      schemaPointer: media.schema === undefined ? undefined : media.schemaPointer,
      from: 'example',
      detail: example.name === '' ? undefined : example.name,
      violations: NO_VIOLATIONS,
      ...(parts.examples === 'verbatim' ? { violates: 'examples are served unchanged' } : {}),
    };
  };
}

/** An example with the values that the request sends for its members of the same names, where the schema allows them. */
function repeatSent(
  { validators }: ExampleParts,
  { schema, schemaPointer }: MediaType,
  { example, call }: { readonly example: unknown; readonly call: Call },
): unknown {
  const { body } = call;
  if (!isObject(example) || !isObject(body) || schema === undefined) return example;
  const check = validators.check(schemaPointer, 'response');
  const fits = (value: unknown): boolean => value === example || check(value, 'body').length === 0;
  const whole = repeatIn(example, body);
  if (fits(whole)) return whole;
  const scalars = filterMembers(body, (_, value) => typeof value !== 'object');
  const shallow = repeatIn(example, scalars);
  return fits(shallow) ? shallow : example;
}

/** A value with what is sent in its place: members of objects by name, elements of arrays in order, other values of the same type. */
function repeatIn(value: unknown, sent: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(sent)) {
    const [first] = value as readonly unknown[];
    const isAlike = sent.every((each) => typeof each === typeof first && Array.isArray(each) === Array.isArray(first));
    return isAlike && value.length > 0 ? sent.map((each, i) => repeatIn(value[i] ?? first, each)) : value;
  }
  if (!isObject(value) || !isObject(sent))
    return typeof value === typeof sent && typeof sent !== 'object' ? sent : value;
  const names = Object.keys(sent).filter((name) => Object.hasOwn(value, name));
  const repeated = names.map((name) => [name, repeatIn(value[name], sent[name])] as const);
  return repeated.every(([name, each]) => each === value[name]) ? value : { ...value, ...Object.fromEntries(repeated) };
}

/** The name, `''` for an example without one, and the value. */
type FittingExample = Pick<Example, 'name' | 'value'>;

/** The examples of one media type: those that can be sent, and those that break the schema. */
interface ExampleReport {
  readonly fitting: readonly FittingExample[];
  readonly broken: readonly (FittingExample & { readonly violations: readonly Violation[] })[];
  /** A sentence about the first broken one. */
  readonly why: string | undefined;
}

function nameExample({ name }: FittingExample): string {
  return name === '' ? 'the example' : `example "${name}"`;
}

/**
 * Creates a reader of examples: examples of the media type in their order, then examples of its schema, checked once.
 *
 * `writeOnly` properties are removed. With `verbatim` an example counts as fitting although it breaks the schema, except null.
 */
function createExampleReader({ contract, validators, examples }: ExampleParts): (media: MediaType) => ExampleReport {
  return memoize((media) => {
    const fitting: FittingExample[] = [];
    const broken: ExampleReport['broken'][number][] = [];
    const check = createExampleCheck(contract, validators, media);
    for (const example of listCandidates(contract, media)) {
      const violations = listErrors(check(example.value));
      const secret = violations.filter(({ code }) => code === 'WRITE_ONLY');
      const value = secret.reduce((left, { pointer }) => omitAt(left, readSegments(pointer)), example.value);
      const left = secret.length === 0 ? violations : listErrors(check(value));
      if (left.length === 0 || (examples === 'verbatim' && value !== null)) fitting.push({ name: example.name, value });
      else broken.push({ name: example.name, value: example.value, violations: left });
    }
    const [first] = broken;
    const message = first?.violations[0]?.message ?? '';
    return { fitting, broken, why: first && `example: ${nameExample(first)} breaks its schema (${message})` };
  });
}

function listCandidates(contract: Contract, media: MediaType): readonly FittingExample[] {
  if (!isObject(media.schema)) return media.examples;
  const target = contract.resolve(media.schema, media.schemaPointer).schema;
  const schemas = target === media.schema ? [media.schema] : [media.schema, target];
  const values = schemas.flatMap((schema): readonly unknown[] => {
    return isObject(schema) ? listExamples(schema).filter((value) => value !== undefined) : [];
  });
  return [...media.examples, ...values.map((value) => ({ name: '', value }))];
}
