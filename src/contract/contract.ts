import type { Place } from '../errors.js';
import type { Schema } from './json.js';
import type { Operation, SecurityScheme } from './operations/operation.js';

/**
 * The OpenAPI document, loaded and indexed.
 *
 * The document inside is of one dialect whatever came in: OpenAPI 3.1 with JSON Schema 2020-12, every file bundled into one
 * object, so that each `$ref` is a local `#/…` pointer. Nothing is dereferenced; cycles are legal.
 */
export interface Contract {
  readonly title: string;
  readonly version: string;
  /** SHA-256 of the source text of all files, in hex: the same document has the same hash. */
  readonly hash: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly operations: readonly Operation[];
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** What is wrong with the document and what was assumed instead; errors first. */
  readonly problems: readonly Problem[];
  /** The operation of that id, or undefined. */
  operation(id: string): Operation | undefined;
  /** The value at a pointer of the inner document, or undefined. */
  at(pointer: string): unknown;
  /** A schema with its `$ref` chain followed, and where the target stands; siblings of a `$ref` are not merged. */
  resolve(schema: Schema, pointer: string): { readonly schema: Schema; readonly pointer: string };
  /** The file, line and original pointer of a pointer of the inner document. */
  locate(pointer: string): Place;
}

/** A mistake in a document that did not stop it from being served. */
export interface Problem {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly at: Place;
  /** What vouch does about it. */
  readonly assumed?: string;
}

/** The mistakes a document can have and still be served, by their stable names, and what each one means. */
export const PROBLEM_CODES = {
  DUPLICATE_KEY: 'A mapping of the text has a key twice; the last one counts.',
  EXAMPLE_INVALID: 'An example breaks its schema; `vouch check` looks at them, and a mock never serves one.',
  MEDIA_TYPE_INVALID: 'A key of a `content` map is no media type.',
  OPERATION_ID_DUPLICATE: 'Two operations have one operationId; the later one is called by its method and path.',
  OVERLAY_NO_MATCH: 'The target of an overlay action selects nothing.',
  PARAMETER_INVALID: 'A parameter has no name or no known place, or has its type beside its name.',
  PATH_DUPLICATE: 'Two path templates mean the same requests; the first one answers them.',
  PATH_INVALID: 'A path does not start with a slash, or a method is not in lower case.',
  PATH_PARAMETER_MISSING: 'A path template has a parameter that nobody declares; it takes any text.',
  PATH_PARAMETER_UNUSED: 'A path parameter is declared that the path template does not have.',
  REFERENCE_REFUSED: 'A reference leads to the network where that is not allowed, or to a private address.',
  REFERENCE_UNRESOLVED: 'A reference leads nowhere; in the place of a schema anything is accepted.',
  RESPONSES_MISSING: 'An operation declares no response.',
  SCHEMA_ENDLESS: 'A schema applies itself to the same value, which no validator ever finishes.',
  SCHEMA_REPAIRED: 'A keyword of a schema has a value it cannot have, or is of another version.',
  SECURITY_INVALID: 'A security requirement or scheme is not what the specification asks for.',
  SECURITY_UNKNOWN: 'A security requirement names a scheme that is not declared.',
  SERVER_INVALID: 'A server has no URL.',
  STATUS_INVALID: 'A key of `responses` is no status, no range and not `default`.',
  TRAILING_CONTENT: 'Something follows the end of the document; it is not read.',
  TYPE_MISMATCH: 'A value of another type stands where the specification asks for an object, a map or a list.',
  VALUE_MISSING: 'Something that the specification requires is not there.',
  VERSION_UNKNOWN: 'The document does not say its version, or says one that nobody knows.',
} as const;

/** The stable name of a mistake. */
export type ProblemCode = keyof typeof PROBLEM_CODES;

/** A mistake as the loader notes it: a pointer of the inner document, made into a place only when somebody looks. */
export interface Finding {
  readonly code: ProblemCode;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly pointer: string;
  readonly assumed?: string;
}

/** Takes one finding. */
export type Report = (finding: Finding) => void;

/** A finding as a problem; its line is looked up when `at` is first read, because that parses the text once more. */
export function toProblem(finding: Finding, locate: (pointer: string) => Place): Problem {
  let place: Place | undefined;
  return {
    code: finding.code,
    severity: finding.severity,
    message: finding.message,
    get at() {
      place ??= locate(finding.pointer);
      return place;
    },
    ...(finding.assumed === undefined ? {} : { assumed: finding.assumed }),
  };
}
