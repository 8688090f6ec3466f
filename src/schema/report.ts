import { escapeSegment } from '../contract/pointer.js';
import type { Violation, ViolationCode, ViolationPlace } from './violation.js';

/** A departure of the client, in the words of the one who found it. */
export interface ClientReport {
  readonly code: ViolationCode;
  readonly in: ViolationPlace;
  /** Of the parameter, header or property; leads the pointer. */
  readonly name?: string;
  /** In place of one made from the name. */
  readonly pointer?: string;
  readonly message: string;
  readonly schemaPointer?: string;
  readonly status?: number;
  readonly challenge?: string;
}

/** A violation that refuses the call. */
export function toError(report: ClientReport): Violation {
  return toViolation(report, 'error');
}

/** A violation that is only remembered. */
export function toNote(report: ClientReport): Violation {
  return toViolation(report, 'note');
}

/** A note that the contract, and nobody else, is to blame for: a value was checked against what is left of its schema. */
export function toUnusableNote(place: ViolationPlace, schemaPointer: string, name?: string): Violation {
  const what = name === undefined ? `the ${place}` : `${place} parameter "${name}"`;
  const message = `${what} was checked against a part of its schema only: the rest of it cannot be used`;
  return { ...toNote({ code: 'SCHEMA_UNUSABLE', in: place, name, message, schemaPointer }), by: 'contract' };
}

/** An error in strict mode, a note otherwise. */
export function toStrictError(report: ClientReport, strict: boolean): Violation {
  return toViolation(report, strict ? 'error' : 'note');
}

// Written out: an undeclared parameter or property may come with every call, and spreading is slow.
function toViolation(report: ClientReport, severity: Violation['severity']): Violation {
  return {
    code: report.code,
    severity,
    in: report.in,
    pointer: report.pointer ?? (report.name === undefined ? '' : `/${escapeSegment(report.name)}`),
    message: report.message,
    by: 'client',
    schemaPointer: report.schemaPointer,
    status: report.status,
    challenge: report.challenge,
  };
}
