import { hasExact, toDoubles } from '../base/exact-json.js';
import type { Contract, Problem } from '../contract/contract.js';
import { followBareReferences } from '../contract/pointer.js';
import { createShapes } from '../contract/schema-view/shape.js';
import { isObject } from '../base/json.js';
import { LimitError } from '../base/errors.js';
import { memoize } from '../base/memoize.js';
import type { MediaType, Operation } from '../contract/operations/operation.js';
import { createAjvChecks } from './ajv.js';
import { createExplainer } from './explain.js';
import { createUnits } from './units.js';
import { createExcuse, listUnmeetable, type Unmeetable } from './unmeetable.js';
import {
  type ClientReport,
  type Direction,
  hasErrors,
  type IsValid,
  NO_VIOLATIONS,
  toError,
  type Violation,
  type ViolationPlace,
} from './violation.js';

/** Checks values against schemas of one contract; each schema is read when it is first needed. */
export interface Validators {
  /** The check of a value that a client sent against the schema at a pointer of the bundled document: by ajv. It is cached. */
  checkSent(schemaPointer: string): SchemaCheck;
  /** The check of a value that vouch makes, or that a file has, by the checker; it is cached. */
  check(schemaPointer: string, direction: Direction): SchemaCheck;
  /** As `check`, without violations, which cost much more. */
  accepts(schemaPointer: string, direction: Direction): IsValid;
  /** Limits the work of all checks until `endRequest` together; otherwise the limit is for each check. */
  beginRequest(): void;
  endRequest(): void;
  /** Reads the schema at a pointer now. @returns the pointers of the schemas that it refers to. */
  prepare(schemaPointer: string, direction: Direction): readonly string[];
  /** The parts of schemas that cannot be used, among the schemas read so far. */
  problems(): readonly Problem[];
  /** The constraints of requests that no client can be expected to meet; checks of sent values only note them. */
  unmeetable(): readonly Unmeetable[];
  /** Whether the schema at a pointer, and those it refers to (if read), are checked completely. */
  isWhole(schemaPointer: string): boolean;
}

/**
 * Checks one value; `NO_VIOLATIONS` where it is valid.
 *
 * @param name - Of the parameter or header with the value; the first segment of pointers, and in messages.
 */
export type SchemaCheck = (value: unknown, place: ViolationPlace, name?: string) => readonly Violation[];

/** Options of validators. */
export interface ValidatorsOptions {
  /** Whether `format` is checked; default `assert`. */
  readonly formats?: 'assert' | 'annotate';
  /** Whether a request that matches several alternatives of a `oneOf` is refused; default false. */
  readonly strict?: boolean;
}

/** Creates the validators of a contract; schemas are read on demand. */
export function createValidators(contract: Contract, options: ValidatorsOptions = {}): Validators {
  const { formats = 'assert', strict = false } = options;
  const units = createUnits(contract, formats);
  const { work } = units;
  const toTarget = memoize((pointer: string): string => followBareReferences(contract.document, pointer));
  const compiled = createAjvChecks(units.request, { formats, work });

  const createCheck = (
    direction: Direction,
    judge: (target: string) => IsValid,
  ): ((pointer: string) => SchemaCheck) => {
    const by = direction === 'request' ? 'client' : 'mock';
    const explain = createExplainer(contract, { units: units[direction], by, strict: by === 'mock' || strict });
    return memoize((pointer) => {
      const target = toTarget(pointer);
      const schema = contract.at(target);
      if (schema === true || (isObject(schema) && Object.keys(schema).length === 0)) return () => NO_VIOLATIONS;
      return (value, place, name) => {
        work.beginCheck();
        try {
          if (acceptExact(judge(target), value)) return NO_VIOLATIONS;
          return explain(target, toDoubles(value), { in: place, name });
        } catch (error) {
          return [{ ...toLimitReport(error, { in: place, name, schemaPointer: target }), by }];
        }
      };
    });
  };
  const checks = {
    request: createCheck('request', units.request.check),
    response: createCheck('response', units.response.check),
  };

  const sent = createCheck('request', compiled);
  const meeting = { contract, shapes: createShapes(contract), check: checks.request };
  const excuse = createExcuse(meeting);

  return {
    checkSent: strict ? sent : memoize((pointer) => excuse(sent(pointer), pointer)),
    unmeetable: () =>
      listUnmeetable(
        meeting,
        contract.operations.flatMap((each) => listRoots(each, 'request')),
      ),
    check: (pointer, direction) => checks[direction](pointer),
    accepts: (pointer, direction) => (value) => {
      work.beginCheck();
      return isAccepted(() => acceptExact(units[direction].check(toTarget(pointer)), value));
    },
    beginRequest: work.begin,
    endRequest: work.end,
    prepare: (pointer, direction) => {
      const target = toTarget(pointer);
      units[direction].check(target);
      return units[direction].read(target, 'call').references;
    },
    problems: () => units.problems(),
    isWhole: (pointer) => units.isWhole(toTarget(pointer)),
  };
}

/** The violation of a value that cannot be checked. @throws The error, if it is another one. */
function toLimitReport(error: unknown, at: Pick<ClientReport, 'in' | 'name' | 'schemaPointer'>): Violation {
  if (error instanceof LimitError) {
    const message = `the ${at.in} takes too much work to be validated: ${error.message}`;
    return toError({ ...at, code: 'TOO_COSTLY', message });
  }
  // The stack is too small for the nesting of the value.
  if (error instanceof RangeError)
    return toError({ code: 'TOO_DEEP', in: at.in, message: `the ${at.in} is nested too deeply to be validated` });
  throw error;
}

/** Whether a body of an answer is only invalid because several alternatives of a `oneOf` allow an object, whose author meant a union of them. */
export function isOnlyAmbiguous(
  { check }: Pick<Validators, 'check'>,
  violations: readonly Violation[],
  { schemaPointer, body }: { readonly schemaPointer: string; readonly body: unknown },
): boolean {
  if (violations.some(({ code }) => code !== 'UNION')) return false;
  // In a request, such an object is accepted.
  return !hasErrors(check(schemaPointer, 'request')(body, 'body'));
}

/** Whether a value is valid, with its integers of 64 bits as numbers; values that are valid without are not searched for them. */
function acceptExact(judge: IsValid, value: unknown): boolean {
  return judge(value) || (hasExact(value) && judge(toDoubles(value)));
}

function isAccepted(judge: () => boolean): boolean {
  try {
    return judge();
  } catch (error) {
    // The stack is too small for the nesting of the value, or it takes too much work.
    if (error instanceof RangeError || error instanceof LimitError) return false;
    throw error;
  }
}

/**
 * Reads every schema of the operations of a contract, one per step, so that a server can do it between requests. Afterwards
 * `validators.problems()` is complete.
 *
 * @returns Yields the pointer of each operation, and of each schema, after it was read.
 */
export function* prepareSchemas(contract: Contract, validators: Validators): Generator<string, void> {
  for (const direction of ['request', 'response'] as const) {
    const seen = new Set<string>();
    for (const operation of contract.operations.toReversed()) {
      const waiting = [...listRoots(operation, direction)];
      yield operation.pointer;
      yield* prepareAll(waiting, { seen, prepare: (pointer) => validators.prepare(pointer, direction) });
    }
  }
}

/** Reads the schemas at some pointers and below them. @yields The pointer of each one after it was read. */
function* prepareAll(
  waiting: string[],
  { seen, prepare }: { readonly seen: Set<string>; prepare(pointer: string): Iterable<string> },
): Generator<string, void> {
  for (let pointer = waiting.pop(); pointer !== undefined; pointer = waiting.pop()) {
    if (seen.has(pointer)) continue;
    seen.add(pointer);
    waiting.push(...prepare(pointer));
    yield pointer;
  }
}

/** The pointers of the schemas of an operation. */
function listRoots({ parameters, body, responses }: Operation, direction: Direction): readonly string[] {
  const list = (
    values: readonly { readonly schemaPointer: string }[],
    content: readonly MediaType[] = [],
  ): readonly string[] => [
    ...values.map(({ schemaPointer }) => schemaPointer),
    ...content.flatMap(({ schema, schemaPointer }) => (schema === undefined ? [] : schemaPointer)),
    ...content.flatMap(({ itemSchema, itemSchemaPointer }) => (itemSchema === undefined ? [] : itemSchemaPointer)),
  ];
  return direction === 'request'
    ? list(parameters, body?.content)
    : responses.flatMap(({ headers, content }) => list(headers, content));
}
