import { load } from 'js-yaml';
import { loadContract } from '../../src/index.js';
import { diffContracts, type DiffFinding } from '../../src/tools/diff/diff.js';

/** A value that YAML can write. */
type Written = Readonly<Record<string, unknown>>;

/** Reads YAML in a test. */
export const yaml = (text: string): Written => load(text) as Written;

/** A document with one operation. @param operation - Its members besides a response. */
export function toDocument(operation: Written, more: Written = {}): Written {
  const { path = '/orders', method = 'post', components, servers, security, ...members } = operation;
  const responses = members['responses'] ?? { 200: { description: 'done' } };
  return {
    openapi: '3.1.0',
    info: { title: 'Orders', version: '1' },
    paths: { [String(path)]: { [String(method)]: { operationId: 'order', ...members, responses } } },
    ...(components === undefined ? {} : { components }),
    ...(servers === undefined ? {} : { servers }),
    ...(security === undefined ? {} : { security }),
    ...more,
  };
}

/** A document in which one schema is that of a request body and of a response. */
export function toSchemaDocument(schema: unknown, components: Written = {}): Written {
  const content = { 'application/json': { schema } };
  return toDocument({
    requestBody: { required: true, content },
    responses: { 200: { description: 'done', content } },
    components: { schemas: components },
  });
}

/** The findings between two documents. */
export async function diff(old: Written, now: Written): Promise<readonly DiffFinding[]> {
  return diffContracts(await loadContract(old), await loadContract(now)).findings;
}

/** `breaking CODE` of each finding in a direction; compatible ones are left out. */
export function listVerdicts(findings: readonly DiffFinding[], direction: 'request' | 'response'): readonly string[] {
  return findings
    .filter((finding) => finding.direction === direction && finding.severity !== 'compatible')
    .map(({ severity, code }) => `${severity} ${code}`);
}
