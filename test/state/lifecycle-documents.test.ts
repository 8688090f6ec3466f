// @module-tag slow
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runManifest } from './lifecycle-manifest.js';

const FOLDER = resolve(import.meta.dirname, '../documents/lifecycle');

const OPTIONS = { created: {}, 'not found': { state: { unknownIds: 'not-found' } } } as const;

/** How many resources do all that their manifest says, where unknown ids are created and where they are not found. Raise, never lower. */
const WHOLE: Readonly<Record<string, readonly [created: number, notFound: number]>> = {
  'bank-rpc.yaml': [7, 7],
  'business-suite.yaml': [6, 6],
  'chat-rpc.yaml': [6, 6],
  'cloud-hosting.yaml': [8, 8],
  'code-hosting.yaml': [8, 8],
  'edge-network.yaml': [5, 5],
  'json-api.yaml': [7, 7],
  'orchestrator.yaml': [6, 6],
  'payments.yaml': [7, 7],
  'project-tracker.yaml': [5, 5],
  'resource-names.yaml': [6, 6],
  'telephony.yaml': [8, 8],
};

// Each document has the style of one kind of API; its manifest says what each operation does to the state.
describe.each(readdirSync(FOLDER).filter((file) => file.endsWith('.yaml')))('%s', (file) => {
  it.each(['created', 'not found'] as const)('answers as its manifest says where unknown ids are %s', async (name) => {
    const reports = await runManifest(resolve(FOLDER, file), OPTIONS[name]);
    const failures = reports.flatMap((report) => report.failures);
    const whole = reports.filter((report) => report.failures.length === 0).length;
    const least = WHOLE[file]?.[name === 'created' ? 0 : 1] ?? reports.length;
    expect(whole, failures.join('\n')).toBeGreaterThanOrEqual(least);
  });
});
