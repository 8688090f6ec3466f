import type { Problem } from './contract.js';
import type { Place } from '../errors.js';

/** The stable names of the mistakes a document can have and still be served. Each one is explained in `docs/documents.md`. */
export type ProblemCode =
  | 'DUPLICATE_KEY'
  | 'MEDIA_TYPE_INVALID'
  | 'OPERATION_ID_DUPLICATE'
  | 'OVERLAY_NO_MATCH'
  | 'PARAMETER_INVALID'
  | 'PATH_DUPLICATE'
  | 'PATH_INVALID'
  | 'PATH_PARAMETER_MISSING'
  | 'PATH_PARAMETER_UNUSED'
  | 'REFERENCE_REFUSED'
  | 'REFERENCE_UNRESOLVED'
  | 'RESPONSES_MISSING'
  | 'SCHEMA_ENDLESS'
  | 'SCHEMA_REPAIRED'
  | 'SECURITY_INVALID'
  | 'SECURITY_UNKNOWN'
  | 'SERVER_INVALID'
  | 'STATUS_INVALID'
  | 'TRAILING_CONTENT'
  | 'TYPE_MISMATCH'
  | 'VALUE_MISSING'
  | 'VERSION_UNKNOWN';

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
