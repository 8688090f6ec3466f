import { isEqualJson, isObject, listExamples } from '../../base/json.js';
import type { Contract } from '../../contract/contract.js';
import { findMedia } from '../../contract/media-type.js';
import type { MediaType, Operation } from '../../contract/operations/operation.js';
import { findResponse } from '../../contract/operations/responses.js';
import { readPointer, readSegments, toPointer } from '../../contract/pointer.js';
import { readContentType } from '../../http/header-fields.js';
import type { Validators } from '../../schema/validate.js';
import type { Violation } from '../../schema/violation.js';
import type { Exchange } from './target.js';

/** What a service did, and what of the document rules it out. */
interface Ruled {
  readonly operation: Operation;
  readonly exchange: Exchange;
  readonly violation: Pick<Violation, 'code' | 'pointer' | 'schemaPointer'>;
}

/**
 * Finds where the document contradicts itself, and the service agrees with its other part.
 *
 * A service that differs in the same way in each answer proves nothing: one with a mistake in it does so too.
 */
export interface FindEvidence {
  /** Why the document is wrong about an answer; undefined if nothing says so. */
  ofAnswer(ruled: Ruled): string | undefined;
  /** Why it is wrong about an invalid request that was accepted. */
  ofRequest(ruled: Ruled): string | undefined;
}

const EXAMPLE = 'an example of the document breaks this rule as well';
const NO_SUCCESS = 'it declares no status of success';

interface DocumentParts {
  readonly contract: Contract;
  readonly validators: Validators;
}

/** Creates what finds evidence against a document. */
export function createFindEvidence(parts: DocumentParts): FindEvidence {
  return {
    ofAnswer: ({ operation, exchange: { status = 0, headers, body }, violation }) => {
      if (violation.code === 'STATUS_UNDECLARED')
        return status < 400 && !declaresSuccess(operation) ? NO_SUCCESS : undefined;
      if (violation.schemaPointer === undefined) return undefined;
      const media = findMedia(findResponse(operation, status)?.content ?? [], readContentType(headers) ?? '');
      const value = readPointer(body, violation.pointer);
      const broken = listBrokenExamples(parts, violation, { media, direction: 'response' });
      return broken.some((each) => isAlike(violation.code, each, value)) ? EXAMPLE : undefined;
    },
    ofRequest: ({ operation, exchange: { request }, violation }) => {
      const media = findMedia(operation.body?.content ?? [], readContentType(request.headers) ?? '');
      return listBrokenExamples(parts, violation, { media, direction: 'request' }).length > 0 ? EXAMPLE : undefined;
    },
  };
}

function declaresSuccess({ responses }: Operation): boolean {
  return responses.some(({ status, isAssumed }) => isAssumed !== true && /^(?:[123]|default)/i.test(status));
}

/** The values in examples that break the same rule. */
function listBrokenExamples(
  { contract, validators }: DocumentParts,
  { code, pointer, schemaPointer = '' }: Ruled['violation'],
  { media, direction }: { readonly media: MediaType | undefined; readonly direction: 'request' | 'response' },
): readonly unknown[] {
  return listExamplesOf(contract, schemaPointer, media).flatMap(([at, example]) =>
    validators
      .check(at, direction)(example, 'body')
      .filter((own) => own.code === code && own.schemaPointer === schemaPointer)
      .filter((own) => !OF_MEMBER.has(code) || readSegments(own.pointer).at(-1) === readSegments(pointer).at(-1))
      .map((own) => readPointer(example, own.pointer)),
  );
}

/** Rules of an object that name one of its members. */
const OF_MEMBER: ReadonlySet<string> = new Set(['ADDITIONAL_PROPERTY', 'REQUIRED']);

type PlacedExample = readonly [schemaPointer: string, example: unknown];

/** The examples of a body, and those of the schemas around a keyword, each with the pointer of its schema. */
function listExamplesOf(contract: Contract, keyword: string, media: MediaType | undefined): readonly PlacedExample[] {
  const own = (media?.examples ?? []).map(({ value }): PlacedExample => [media?.schemaPointer ?? '', value]);
  const pointers = media?.schema === undefined ? [] : [contract.resolve(media.schema, media.schemaPointer).pointer];
  const segments = readSegments(keyword).slice(0, -1);
  while (segments.length > 0) {
    const [parent, last = ''] = segments.slice(-2);
    pointers.push(toPointer(...segments));
    // The root of a component, a parameter or a body.
    if (last === 'schema' || parent === 'schemas') break;
    segments.pop();
  }
  const placed = [...new Set(pointers)].flatMap((pointer) => {
    const schema = contract.at(pointer);
    return isObject(schema) ? listExamples(schema).map((example): PlacedExample => [pointer, example]) : [];
  });
  return [...own, ...placed].filter(([, example]) => example !== undefined);
}

/** Whether an example breaks a rule as an answer does: with the same value of an enumeration, else with a value of the same type. */
function isAlike(code: string, example: unknown, value: unknown): boolean {
  return code === 'ENUM' || code === 'CONST' ? isEqualJson(example, value) : readType(example) === readType(value);
}

function readType(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
