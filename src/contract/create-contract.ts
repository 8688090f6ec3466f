import type { Place } from '../errors.js';
import type { Contract } from './contract.js';
import { followReferences } from './follow.js';
import { readPointer } from './pointer.js';
import { toProblem, type Finding } from './problem.js';
import { readOperations, readSecuritySchemes } from './read-operations.js';
import { isObject, type Schema } from './schema.js';

/** What a contract is made of: a document of the inner dialect, and how to find the way back to its text. */
export interface ContractParts {
  readonly document: Readonly<Record<string, unknown>>;
  readonly hash: string;
  /** Mistakes found so far. */
  readonly findings: readonly Finding[];
  readonly locate: (pointer: string) => Place;
}

/** A contract over a document that is bundled and upgraded already. */
export function createContract(parts: ContractParts): Contract {
  const { document, hash, locate } = parts;
  const findings = [...parts.findings];
  const context = { document, report: (finding: Finding) => void findings.push(finding) };
  const operations = readOperations(context);
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  // Where each reference ends, found once: a document has far fewer of them than the mock has questions.
  const ends = new Map<string, { readonly schema: Schema; readonly pointer: string }>();
  const info = isObject(document['info']) ? document['info'] : {};
  return {
    title: typeof info['title'] === 'string' ? info['title'] : 'Untitled API',
    version: typeof info['version'] === 'string' ? info['version'] : '0',
    hash,
    document,
    operations,
    securitySchemes: readSecuritySchemes(context),
    problems: findings.toSorted(compareSeverity).map((finding) => toProblem(finding, locate)),
    operation: (id) => byId.get(id),
    at: (pointer) => readPointer(document, pointer),
    resolve: (schema, pointer) => {
      const reference = isObject(schema) ? schema.$ref : undefined;
      if (typeof reference !== 'string') return { schema, pointer };
      let end = ends.get(reference);
      if (end === undefined) {
        const { value, pointer: target } = followReferences(document, schema, pointer);
        // Every $ref in a schema's place leads to a schema: the bundler replaced those that did not.
        end = { schema: value as Schema, pointer: target };
        ends.set(reference, end);
      }
      return end;
    },
    locate,
  };
}

/** What breaks something before what was merely understood. */
function compareSeverity(one: Finding, other: Finding): number {
  return Number(one.severity === 'warning') - Number(other.severity === 'warning');
}
