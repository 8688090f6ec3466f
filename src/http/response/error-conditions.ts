import { CONDITIONS, type ErrorCondition } from '../../conventions/error-conditions.js';
import type { Call } from '../request/call.js';
import type { Violation, ViolationCode } from '../../schema/violation.js';

/** The names of all conditions. */
// The keys of the table are its names.
export const ERROR_CONDITIONS: readonly ErrorCondition[] = Object.keys(CONDITIONS) as readonly ErrorCondition[];

const BY_STATUS: ReadonlyMap<number, ErrorCondition> = new Map(
  ERROR_CONDITIONS.flatMap((name) => CONDITIONS[name].statuses.map((status) => [status, name] as const)),
);

/** Violations that are not about the value of a declared parameter or property. */
const BY_VIOLATION: ReadonlyMap<string, ErrorCondition> = new Map(
  (
    [
      [['BODY_REQUIRED', 'DEPENDENT_REQUIRED', 'HEADER_REQUIRED', 'REQUIRED'], 'missing-parameter'],
      [['ADDITIONAL_PROPERTY', 'BODY_UNDECLARED', 'PARAMETER_UNDECLARED', 'UNEVALUATED'], 'unknown-parameter'],
      [['BODY_INCOMPLETE', 'BODY_MALFORMED'], 'malformed-body'],
    ] satisfies readonly (readonly [readonly ViolationCode[], ErrorCondition])[]
  ).flatMap(([codes, name]) => codes.map((code) => [code, name] as const)),
);

/** The condition of an error: the kind of its first violation if the request is invalid, else that of its code or its status. */
export function readCondition(error: {
  readonly status: number;
  readonly code?: string | undefined;
  readonly violation?: Violation | undefined;
  readonly isRemoved?: boolean | undefined;
}): ErrorCondition {
  const { status, code, violation, isRemoved } = error;
  if (isRemoved === true) return 'gone';
  if (code !== undefined && /idempoten/i.test(code)) return 'idempotency-key-reused';
  const condition = BY_STATUS.get(status) ?? (status >= 500 ? 'server-error' : 'invalid-request');
  if (condition !== 'invalid-request' || violation === undefined) return condition;
  return BY_VIOLATION.get(violation.code) ?? 'invalid-value';
}

/** The condition in general: `invalid-request` for its kinds, `conflict` for a key that was used, `not-found` for what was removed. */
export function toGeneralCondition(condition: ErrorCondition): ErrorCondition {
  if (condition === 'idempotency-key-reused') return 'conflict';
  if (condition === 'gone') return 'not-found';
  return KINDS.has(condition) ? 'invalid-request' : condition;
}

const KINDS: ReadonlySet<ErrorCondition> = new Set<ErrorCondition>([...BY_VIOLATION.values(), 'invalid-value']);

/** A condition as the code of an error: `not_found`. */
export function toWord(condition: ErrorCondition): string {
  return condition.replaceAll('-', '_');
}

/** Words for a condition in enumerated codes and types of errors, the most exact first. */
export function listWords(condition: ErrorCondition, status: number): readonly RegExp[] {
  const general = toGeneralCondition(condition);
  return [
    ...CONDITIONS[condition].words,
    ...(status === 422 ? [/unprocessable/] : []),
    ...(general === condition ? [] : CONDITIONS[general].words),
  ];
}

/** The facts that the body of an error reports. */
export interface ErrorFacts {
  readonly status: number;
  /** A sentence for a human. */
  readonly message: string;
  /** A stable name for programs, such as `not_found`. */
  readonly code?: string | undefined;
  /** The field, parameter or header at fault. */
  readonly param?: string | undefined;
  readonly violations?: readonly Violation[] | undefined;
  /** The violation that decides the status. */
  readonly violation?: Violation | undefined;
  /** Whether the item that was not found was removed. */
  readonly isRemoved?: boolean | undefined;
  /** The request, if it has an operation. */
  readonly call?: Call | undefined;
}

/** The facts that a body reports, with their code and condition. */
export interface BodyFacts extends ErrorFacts {
  /** Escapes a value of the request for the media type of the body. */
  readonly escape?: ((text: string) => string) | undefined;
  readonly code: string;
  readonly condition: ErrorCondition;
}

/** Adds the condition, and its word as the code of an error without one. */
export function toBodyFacts(error: ErrorFacts): BodyFacts {
  const { status, message, param, violation, violations, call } = error;
  const condition = readCondition(error);
  const isKind = violation === undefined || toGeneralCondition(condition) === 'invalid-request';
  const code = error.code ?? (isKind ? toWord(condition) : violation.code.toLowerCase());
  return { status, message, param, violation, violations, call, condition, code };
}
