import type { Contract } from '../contract/contract.js';
import type { Operation } from '../contract/operations/operation.js';
import { readPointer } from '../contract/pointer.js';
import { formatPlace } from '../errors.js';
import type { Violation } from '../schema/violation.js';
import { writeJson } from './exact-json.js';

/** What a suggestion is made from. */
export interface SuggestionParts {
  readonly violations: readonly Violation[];
  /** The body that departs from the contract. */
  readonly body: unknown;
}

/** The changes of the contract that would make these departures fit, each with the place in the document. */
export function suggestChanges(contract: Contract, operation: Operation, parts: SuggestionParts): readonly string[] {
  const lines = parts.violations.map((violation) => {
    const pointer = violation.schemaPointer ?? operation.pointer;
    return `${formatPlace(contract.locate(pointer))}: ${toChange(violation, parts.body)}`;
  });
  return [...new Set(lines)];
}

function toChange(violation: Violation, body: unknown): string {
  const { code, pointer, message } = violation;
  const name = JSON.stringify(pointer.split('/').at(-1) ?? '');
  const value = readPointer(body, pointer);
  switch (code) {
    case 'REQUIRED':
      return `take ${name} out of "required"`;
    case 'TYPE':
      return `allow the type ${JSON.stringify(toType(value))} too`;
    case 'ENUM':
    case 'CONST':
      return `allow the value ${writeJson(value)} too`;
    case 'ADDITIONAL_PROPERTY':
    case 'UNEVALUATED':
      return `declare the property ${name} with the type ${JSON.stringify(toType(value))}`;
    case 'STATUS_UNDECLARED':
    case 'MEDIA_TYPE_UNDECLARED':
      return `declare it: ${message}`;
    case 'HEADER_REQUIRED':
      return `make it optional: ${message}`;
    default:
      return `loosen the rule: ${message}`;
  }
}

function toType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
