import type { Place } from '../base/errors.js';
import { isObject, type Schema, type SchemaObject } from '../base/json.js';
import type { Operation, SecurityScheme } from './operations/operation.js';

/**
 * The OpenAPI document, loaded and indexed.
 *
 * Every version is upgraded to one inner dialect, OpenAPI 3.1 with JSON Schema 2020-12, and all files are bundled into one document in
 * which each `$ref` is a local `#/…` reference. Nothing is dereferenced; cycles are allowed.
 */
export interface Contract {
  /** `info.title` of the document. */
  readonly title: string;
  /** `info.version` of the document. */
  readonly version: string;
  /** The name of the preset that was applied to the document; undefined for none. */
  readonly preset?: string | undefined;
  /** SHA-256 of the source text of all files, in hex. */
  readonly hash: string;
  /** The paths of the local files that the document consists of, and of those it refers to that cannot be read; the main file first. */
  readonly files: readonly string[];
  /** The bundled document. */
  readonly document: Readonly<Record<string, unknown>>;
  /** All operations, in the order of the document. */
  readonly operations: readonly Operation[];
  /** The schemes of `components.securitySchemes`, by name. */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** Mistakes in the document and what is assumed instead; errors first. */
  readonly problems: readonly Problem[];
  /** The operation with this id, or undefined. */
  operation(id: string): Operation | undefined;
  /** The value at a pointer of the bundled document, or undefined. */
  at(pointer: string): unknown;
  /** A schema with its `$ref` chain resolved, and its pointer; siblings of a `$ref` are not merged. */
  resolve(schema: Schema, pointer: string): { readonly schema: Schema; readonly pointer: string };
  /** The file, line and original pointer of a pointer of the bundled document. */
  locate(pointer: string): Place;
}

/** The schema at a pointer with its `$ref` chain resolved; undefined where there is none, or a boolean one. */
export function readSchemaAt(contract: Contract, pointer: string | undefined): SchemaObject | undefined {
  const schema = pointer === undefined ? undefined : contract.at(pointer);
  if (pointer === undefined || !isObject(schema)) return undefined;
  const target = contract.resolve(schema, pointer).schema;
  return typeof target === 'boolean' ? undefined : target;
}

/** A mistake in a document that does not stop it from being served. */
export interface Problem {
  /** One of `PROBLEM_CODES`. */
  readonly code: string;
  /** `vouch check` ends with exit code 1 for an error, not for a warning. */
  readonly severity: 'error' | 'warning';
  /** The problem, in one sentence. */
  readonly message: string;
  /** Where it is. */
  readonly at: Place;
  /** The assumption that vouch makes instead. */
  readonly assumed?: string;
}

/** The codes of all problems and what each one means. */
export const PROBLEM_CODES = {
  DUPLICATE_KEY: 'A YAML mapping has a key twice; the last one wins.',
  DYNAMIC_REFERENCES: 'The `$dynamicRef`s of a document need too many copies of schemas; anything is accepted there.',
  EXAMPLE_INVALID: 'An example violates its schema; `vouch check` reports it, and a mock does not serve it.',
  FLOW_INDENT: 'A line of a YAML flow collection is not indented enough; its indentation is ignored.',
  MEDIA_TYPE_INVALID: 'A key of a `content` map is not a media type.',
  OPERATION_ID_DUPLICATE: 'Two operations have the same operationId; the later one gets its method and path as id.',
  OPERATIONS_MISSING: 'The document has paths but no operations; every request is answered with 404.',
  OVERLAY_NO_MATCH: 'The target of an overlay action matches nothing.',
  PARAMETER_INVALID: 'A parameter has no name or no valid `in`, or has `type` outside its schema.',
  PATH_DUPLICATE: 'Two path templates match the same requests; the first one is used.',
  PATH_INVALID: 'A path does not start with a slash, or a method is not in lower case.',
  PATH_PARAMETER_MISSING: 'A parameter of a path template is not declared; it accepts any string.',
  PATH_PARAMETER_UNUSED: 'A declared path parameter is not in the path template.',
  PATTERN_COSTLY:
    'A pattern has back references or too many repetitions to be tested in linear time; a value that takes too long is refused.',
  REFERENCE_REFUSED: 'A reference needs the network, which is not allowed, or a private address.',
  REFERENCE_UNRESOLVED: 'A reference cannot be resolved; as a schema it accepts anything.',
  RESPONSES_MISSING: 'An operation declares no response.',
  SCHEMA_CIRCULAR: 'A schema refers to itself for the same value, so that a validation would not end.',
  SCHEMA_CONTRADICTORY:
    'No value can fit a schema of a response, or no client can meet a constraint of requests; `vouch check` reports it.',
  SCHEMA_REPAIRED: 'A schema keyword has an invalid value, or belongs to another version.',
  SECURITY_CONTRADICTORY:
    'A security requirement needs two schemes for the one `Authorization` header; either is accepted.',
  SECURITY_INVALID: 'A security requirement or scheme is not valid.',
  SECURITY_UNKNOWN: 'A security requirement names a scheme that is not declared.',
  SERVER_INVALID: 'A server has no URL.',
  STATUS_INVALID: 'A key of `responses` is not a status code, a range such as `4XX` or `default`.',
  SUCCESS_MISSING: 'An operation declares errors only; it is answered with the usual success of its method.',
  TRAILING_CONTENT: 'There is content after the end of the document; it is ignored.',
  TYPE_MISMATCH: 'A value is not the object or array that the specification requires.',
  VALUE_MISSING: 'A required value is missing.',
  VERSION_UNKNOWN: 'The document has no version, or an unknown one.',
} as const;

/** The code of a problem. */
export type ProblemCode = keyof typeof PROBLEM_CODES;

/** A problem with the pointer instead of the place, which is expensive to find. */
export interface Finding {
  readonly code: ProblemCode;
  /** Default `warning`. */
  readonly severity?: 'error' | 'warning';
  readonly message: string;
  readonly pointer: string;
  /** Where it is, if no pointer leads there. */
  readonly at?: Place;
  readonly assumed?: string;
}

/** Reports one finding. */
export type Report = (finding: Finding) => void;

/** A finding as a problem; `at` is found when it is first read, because that parses the text again. */
export function toProblem(
  { code, severity = 'warning', message, pointer, at, ...rest }: Omit<Finding, 'code'> & { readonly code: string },
  locate: (pointer: string) => Place,
): Problem {
  let place = at;
  return {
    code,
    severity,
    message,
    get at() {
      return (place ??= locate(pointer));
    },
    ...rest,
  };
}
