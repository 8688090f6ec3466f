// @module-tag slow
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openProject } from './project.js';

const LARGE = new URL('../../../shared/specs/openai.yaml', import.meta.url);

it.skipIf(!existsSync(LARGE))(
  'an edit of a document of 3 MB answers the next request (skipped without ../shared/specs/openai.yaml)',
  async () => {
    const text = readFileSync(LARGE, 'utf8');
    const project = await openProject({ overlays: [], fixtures: {}, scenarios: {} }, { 'openapi.yaml': text });
    const { mock } = project;
    const before = mock.contract;
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'CI' });
    const key = await (await mock.fetch('/v1/organization/admin_api_keys', { method: 'POST', headers, body })).json();
    const { id } = key as { readonly id: string };
    await project.saveAtomically(
      'openapi.yaml',
      text.replace('operationId: listModels', 'operationId: listEveryModel'),
    );
    const { applied, notes } = await project.next();
    expect([applied, notes]).toEqual([true, []]);
    expect(mock.contract).not.toBe(before);
    expect((await mock.fetch('/v1/models', { headers })).status).toBe(200);
    expect(mock.journal.calls('listEveryModel')).toHaveLength(1);
    expect((await mock.fetch(`/v1/organization/admin_api_keys/${id}`, { headers })).status).toBe(200);
    await project.close();
  },
);
