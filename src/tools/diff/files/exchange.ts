import { isObject } from '../../../base/json.js';
import type { Place } from '../../../base/errors.js';
import { findMedia, isJsonType } from '../../../contract/media-type.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { findResponse } from '../../../contract/operations/responses.js';
import { toPointer } from '../../../contract/pointer.js';
import { createSchemaWalk, type SchemaWalk } from '../../../contract/schema-view/walk.js';
import { type HeaderFields, readContentType } from '../../../http/header-fields.js';
import type { RecordingParts } from '../../../features/recording/cassettes.js';
import { toRequest } from '../../../features/recording/cassette/recorded-body.js';
import { matchRequest } from '../../../features/recording/matching/exchange-index.js';
import { listErrors, type Violation } from '../../../schema/violation.js';
import { createAnswerCheck } from '../../../features/recording/drift/answer-check.js';
import type { FileKind } from './file-break.js';

/** A call of a client that a file has, and the answer that it got or expects. */
export interface FileExchange {
  readonly kind: FileKind;
  /** The place of a part of it: `request` or `response`, and a pointer in its body. */
  locate(side: 'request' | 'response', pointer: string): Place;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: HeaderFields;
  readonly body: Uint8Array | string | undefined;
  /** Undefined where only the call counts. */
  readonly response: FileResponse | undefined;
}

interface FileResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  /** The JSON value or text of the body. */
  readonly body: unknown;
  /** Whether the body has only what the client reads: the service may answer with more. */
  readonly isExpectation: boolean;
}

/** Something that a contract refuses. */
export interface Refusal {
  /** Equal for what another contract refuses as well. */
  readonly key: string;
  readonly at: Place;
  readonly message: string;
}

/** The key of the refusal of a call that matches no operation. */
export const UNKNOWN_CALL = 'unknown';

/** Lists what a contract refuses of an exchange. */
export type CheckExchange = (exchange: FileExchange) => Promise<readonly Refusal[]>;

/** Creates the check of exchanges against a contract. */
export function createExchangeCheck(parts: RecordingParts): CheckExchange {
  const checkAnswer = createAnswerCheck(parts.validators);
  const schemas = createSchemaWalk(parts.contract);
  return async (exchange) => {
    const { method, target, headers, body, response } = exchange;
    const request = toRequest({ method, headers }, target, body);
    const match = matchRequest(request, parts.router);
    if (match.kind !== 'operation') {
      const near =
        match.kind === 'none' ? match.nearest().slice(0, 1) : match.allow.filter((each) => each !== 'OPTIONS');
      const hint = near.length === 0 ? '' : `; there is ${near.join(', ')}`;
      const message = `no operation of the contract has ${method} ${target}${hint}`;
      return [{ key: UNKNOWN_CALL, at: exchange.locate('request', ''), message }];
    }
    const { operation, pathText, isFormOfGet } = match;
    const call = await parts.decoder.decode({ operation, pathText, isFormOfGet, request });
    // A call that was refused is expected to be invalid.
    const isRefused = response !== undefined && response.status >= 400;
    const sent = isRefused ? [] : listErrors(call.violations);
    const received = response === undefined ? [] : checkResponse(operation, response, { checkAnswer, schemas });
    return [
      ...sent.map((violation) => toRefusal('request', violation, exchange)),
      ...received.map((violation) => toRefusal('response', violation, exchange)),
    ];
  };
}

function toRefusal(
  side: 'request' | 'response',
  { code, in: place, pointer, message }: Pick<Violation, 'code' | 'in' | 'pointer' | 'message'>,
  exchange: FileExchange,
): Refusal {
  const at = exchange.locate(side, place === 'body' ? pointer : '');
  return {
    key: `${side} ${code} ${place} ${pointer}`,
    at,
    message: `${exchange.method} ${exchange.target}: ${message}`,
  };
}

/** What a client need not read, so that it can be missing in what it expects. */
const OMISSIBLE: ReadonlySet<string> = new Set(['REQUIRED', 'HEADER_REQUIRED', 'PROPERTY_COUNT']);

function checkResponse(
  operation: Operation,
  response: FileResponse,
  {
    checkAnswer,
    schemas,
  }: { readonly checkAnswer: ReturnType<typeof createAnswerCheck>; readonly schemas: SchemaWalk },
): readonly Pick<Violation, 'code' | 'in' | 'pointer' | 'message'>[] {
  const violations = checkAnswer(operation, response);
  if (!response.isExpectation) return violations;
  const media = findMedia(
    findResponse(operation, response.status)?.content ?? [],
    readContentType(response.headers) ?? 'application/json',
  );
  const undeclared =
    media?.schema === undefined || !isJsonType(media.type)
      ? []
      : listUndeclared(response.body, [media.schemaPointer], { schemas, at: '' });
  return [
    ...violations.filter(({ code }) => !OMISSIBLE.has(code)),
    ...undeclared
      .filter((pointer) => violations.every((each) => each.pointer !== pointer))
      .map((pointer) => {
        const name = JSON.stringify(pointer.split('/').at(-1));
        const message = `the client expects ${name}, and property ${name} is not declared`;
        return { code: 'PROPERTY_UNDECLARED', in: 'body', pointer, message } as const;
      }),
  ];
}

/** The pointers of members that no schema of their object declares. */
function listUndeclared(
  value: unknown,
  pointers: readonly string[],
  { schemas, at }: { readonly schemas: SchemaWalk; readonly at: string },
): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, i) =>
      listUndeclared(item, schemas.element(pointers, i), { schemas, at: `${at}/${i}` }),
    );
  }
  // Nothing is known of a value without schemas.
  if (!isObject(value) || pointers.length === 0) return [];
  if (schemas.all(pointers).every(({ properties }) => properties === undefined)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const below = schemas.member(pointers, name);
    const inside = at + toPointer(name);
    return below.length === 0 ? [inside] : listUndeclared(member, below, { schemas, at: inside });
  });
}
