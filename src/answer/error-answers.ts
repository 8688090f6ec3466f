import type { Contract } from '../contract/contract.js';
import type { DeclaredResponse, MediaType, Operation } from '../contract/operations/operation.js';
import type { Answer } from '../http/answer.js';
import { isJsonType } from '../http/media-type.js';
import { readStatusTitle } from '../http/response/status-title.js';
import type { Validators } from '../schema/validate.js';
import { NO_VIOLATIONS, type Violation } from '../schema/violation.js';
import { createErrorPlan, type ErrorPlan } from './error-plan.js';

/** What an error answer has to say. */
export interface ErrorFacts {
  readonly status: number;
  /** A sentence for a human. */
  readonly message: string;
  /** A stable word for a program, such as `not_found`. */
  readonly code?: string | undefined;
  /** The field, parameter or header at fault. */
  readonly param?: string | undefined;
  readonly violations?: readonly Violation[] | undefined;
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** The source that refuses; `refuse` by default. */
  readonly from?: string | undefined;
}

/** Makes error answers in the shape the contract gives its errors. */
export interface ErrorAnswers {
  /**
   * An error answer for an operation, or for a request that matched none.
   *
   * Its body has the schema of the operation's response for that status, else of its range, its `default`, its other errors,
   * else the error shape most operations of the contract share, else RFC 9457 problem details.
   */
  answer(operation: Operation | undefined, facts: ErrorFacts): Answer;
}

/** Completes a partial body to one that fits a schema. */
type CompleteBody = (schemaPointer: string, partial: unknown) => unknown;

interface ErrorShape {
  readonly mediaType: string;
  readonly plan: ErrorPlan;
  readonly schemaPointer: string;
}

/** Error answers of one contract; shapes are worked out once per operation and status. */
export function createErrorAnswers(contract: Contract, validators: Validators, complete: CompleteBody): ErrorAnswers {
  const shapes = new Map<string, ErrorShape | undefined>();
  let shared: Map<string, MediaType> | undefined;

  const findShape = (operation: Operation | undefined, status: number): ErrorShape | undefined => {
    const key = `${operation?.id ?? ''} ${status}`;
    if (shapes.has(key)) return shapes.get(key);
    const own = operation?.responses.filter((response) => response.status === String(status)).map(findJsonMedia)[0];
    shared ??= countErrorMedia(contract);
    const exact = own ?? (operation === undefined ? shared.get(String(status)) : undefined);
    const other = operation === undefined ? undefined : findOwnMedia(operation, status);
    const media = exact ?? other ?? shared.get(String(status)) ?? shared.get('*');
    const shape = media && {
      mediaType: media.type,
      plan: createErrorPlan(contract, media, media === exact),
      schemaPointer: media.schemaPointer,
    };
    shapes.set(key, shape);
    return shape;
  };

  return {
    answer: (operation, facts) => {
      const shape = findShape(operation, facts.status);
      const more = { headers: facts.headers ?? {}, from: facts.from ?? 'refuse', violations: NO_VIOLATIONS };
      if (shape === undefined) {
        return { status: facts.status, body: toProblem(facts), mediaType: 'application/problem+json', ...more };
      }
      const drafted = shape.plan(facts);
      const fits = validators.check(shape.schemaPointer, 'response')(drafted, 'body').length === 0;
      const body = fits ? drafted : complete(shape.schemaPointer, drafted);
      return { status: facts.status, body, mediaType: shape.mediaType, ...more };
    },
  };
}

/** RFC 9457 problem details: the shape of an error where the contract declares none. */
function toProblem(facts: ErrorFacts): Readonly<Record<string, unknown>> {
  const problem: Record<string, unknown> = {
    type: 'about:blank',
    title: readStatusTitle(facts.status),
    status: facts.status,
    detail: facts.message,
  };
  if (facts.code !== undefined) problem['code'] = facts.code;
  if (facts.violations !== undefined && facts.violations.length > 0) {
    problem['errors'] = facts.violations.map(({ code, in: place, pointer, message }) => ({
      code,
      in: place,
      pointer,
      message,
    }));
  }
  return problem;
}

/** The operation's own media type for a status it does not name: the range, `default`, then any of its other errors. */
function findOwnMedia(operation: Operation, status: number): MediaType | undefined {
  const range = `${Math.floor(status / 100)}XX`;
  const ordered = [
    ...operation.responses.filter((response) => response.status === range),
    ...operation.responses.filter((response) => response.status === 'default'),
    ...operation.responses.filter((response) => isErrorStatus(response.status)),
  ];
  return ordered.map(findJsonMedia).find((media) => media !== undefined);
}

function isErrorStatus(status: string): boolean {
  return status.startsWith('4') || status.startsWith('5');
}

function findJsonMedia(response: DeclaredResponse): MediaType | undefined {
  return response.content.find((media) => isJsonType(media.type) && media.schema !== undefined);
}

/** The error schemas that most operations share: one per status, and `*` for any error at all. */
function countErrorMedia(contract: Contract): Map<string, MediaType> {
  const counts = new Map<string, Map<string, { readonly media: MediaType; count: number }>>();
  for (const operation of contract.operations) {
    for (const response of operation.responses) {
      const media =
        isErrorStatus(response.status) || response.status === 'default' ? findJsonMedia(response) : undefined;
      if (media?.schema === undefined) continue;
      // A `default` beside nothing else is an operation's only answer, not its error.
      if (response.status === 'default' && operation.responses.length === 1) continue;
      const target = contract.resolve(media.schema, media.schemaPointer).pointer;
      for (const key of [response.status, '*']) {
        const byTarget = counts.get(key) ?? new Map<string, { readonly media: MediaType; count: number }>();
        const entry = byTarget.get(target) ?? { media, count: 0 };
        entry.count += 1;
        byTarget.set(target, entry);
        counts.set(key, byTarget);
      }
    }
  }
  const most = new Map<string, MediaType>();
  for (const [key, byTarget] of counts) {
    const best = [...byTarget.values()].reduce((a, b) => (b.count > a.count ? b : a));
    most.set(key, best.media);
  }
  return most;
}
