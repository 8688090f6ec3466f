import { readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeBoth } from '../describe-both.js';
import { createFolder } from '../folders.js';

const TEXT = '# Why it is down.\noperations:\n  listAdminApiKeys: { respond: { status: 500 } }\n';
const OTHER = TEXT.replace('500', '429');
const YAML = { 'content-type': 'application/yaml' };

describeBoth('scenarios as YAML in the control API', (start) => {
  const open = async (folder: string) => {
    const { fetch, rootUrl } = await start({ scenarios: { from: folder } });
    const send = async (method: string, path: string, body?: string): Promise<Record<string, unknown>> => {
      const init = { method, ...(body !== undefined && { body, headers: YAML }) };
      const response = await fetch(`${rootUrl}/__mock/scenarios${path}`, init);
      const text = await response.text();
      return { status: response.status, ...(text === '' ? {} : (JSON.parse(text) as object)) };
    };
    return send;
  };

  it('are uploaded and checked, and a mistake has its line', async () => {
    const send = await open(createFolder());
    const wrong = TEXT.replace('listAdminApiKeys', 'listAdminApiKey');
    const refused = { status: 422, detail: expect.stringMatching(/^down\.yaml:3:3 .*is not in the contract$/) };
    expect(await send('POST', '/down/check', wrong)).toMatchObject(refused);
    expect(await send('PUT', '/down', wrong)).toMatchObject(refused);
    expect(await send('POST', '/down/check', 'operations: [')).toMatchObject({
      status: 422,
      code: 'SCENARIO_UNREADABLE',
    });
    expect(await send('POST', '/down/check', TEXT)).toEqual({ status: 204 });
    expect(await send('PUT', '/down', TEXT)).toMatchObject({ status: 200, id: 'down' });
    // What was uploaded has no file.
    expect(await send('PUT', '/down/file', OTHER)).toMatchObject({
      status: 409,
      detail: 'scenario "down" has no file',
    });
  });

  it('are written to their file, which replaces an upload, and only if the text is valid', async () => {
    const folder = createFolder({ 'down.yaml': TEXT });
    const send = await open(folder);
    const read = (): string => readFileSync(join(folder, 'down.yaml'), 'utf8');
    const { text, hash } = await send('GET', '/down');
    expect(text).toBe(TEXT);
    expect(await send('PUT', '/down/file', 'operations: { nothing: {} }')).toMatchObject({ status: 422 });
    expect(read()).toBe(TEXT);
    await send('PUT', '/down', 'operations: {}');
    const uploaded = await send('GET', '/down');
    expect([uploaded['text'], uploaded['hash']]).toEqual([undefined, hash]);
    expect(await send('PUT', `/down/file?hash=${String(hash)}`, OTHER)).toMatchObject({ status: 200, id: 'down' });
    expect(read()).toBe(OTHER);
    expect(await send('GET', '/down')).toMatchObject({
      text: OTHER,
      definition: { operations: { listAdminApiKeys: { respond: { status: 429 } } } },
    });
    expect(await send('PUT', `/down/file?hash=${String(hash)}`, TEXT)).toMatchObject({
      status: 409,
      detail: expect.stringContaining('has changed since it was read'),
    });
    expect(read()).toBe(OTHER);
    expect(readdirSync(folder)).toEqual(['down.yaml']);
    expect(await send('PUT', '/none/file', TEXT)).toMatchObject({ status: 404, code: 'SCENARIO_UNKNOWN' });
    expect(await send('PUT', '/..%2Fdown/file', TEXT)).toMatchObject({ status: 400, code: 'CONTROL_INVALID' });
  });

  it('keep the link and the format of their file', async () => {
    const folder = createFolder({ 'real.yaml': TEXT, 'plain.json': '{ "operations": {} }' });
    symlinkSync('real.yaml', join(folder, 'linked.yaml'));
    const send = await open(folder);
    expect(await send('PUT', '/linked/file', OTHER)).toMatchObject({ status: 200 });
    expect(readFileSync(join(folder, 'real.yaml'), 'utf8')).toBe(OTHER);
    expect(await send('PUT', '/plain/file', TEXT)).toMatchObject({ status: 422, code: 'SCENARIO_UNREADABLE' });
    expect(readFileSync(join(folder, 'plain.json'), 'utf8')).toBe('{ "operations": {} }');
  });
});
