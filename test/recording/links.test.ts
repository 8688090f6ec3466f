// A cassette that someone else wrote must not read other files through symbolic links.
import { renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadCassette } from '../../src/features/recording/cassette/cassette.js';
import { createFolder } from '../folders.js';
import { content, TEXT, toDocument } from '../document-parts.js';
import { record, replay } from './recorded.js';
import { reply, startUpstream } from './upstream.js';

const SPEC = toDocument({
  '/text': { get: { operationId: 'readText', responses: { 200: { description: 'ok', content: content(TEXT) } } } },
});
const SECRET = 'sk_live_51Habcdefghijklmnop';

/** A cassette with one body in a file. */
async function recordBody(): Promise<string> {
  const intercept = reply(200, { 'content-type': 'application/octet-stream' }, Buffer.from([0, 1, 2]));
  const { origin } = await startUpstream({ intercept });
  const { folder } = await record(origin, async (mock) => (await mock.fetch('/text')).arrayBuffer(), { spec: SPEC });
  return folder;
}

/** Moves a file of a cassette out of it, and puts a link in its place. */
function link(folder: string, file: string, target: string): void {
  renameSync(join(folder, file), join(createFolder(), 'moved'));
  symlinkSync(target, join(folder, file));
}

it.each(['bodies/0001.bin', '0001-readText.200.json'])(
  'a link in place of %s is a mistake, and not read',
  async (file) => {
    const folder = await recordBody();
    link(folder, file, join(createFolder({ secret: SECRET }), 'secret'));
    const { exchanges, mistakes } = loadCassette(folder);
    expect(exchanges).toEqual([]);
    expect(
      mistakes.map(({ code, message }) => [code, /symbolic link/.test(message), message.includes('sk_live')]),
    ).toEqual([['RECORDING_INVALID', true, false]]);
    expect((await (await replay(folder, SPEC)).fetch('/text')).status).toBe(501);
  },
);

it.each(['bodies', 'cassette.json'])('a link in place of %s is refused', async (file) => {
  const folder = await recordBody();
  link(
    folder,
    file,
    file === 'bodies' ? createFolder({ '0001.bin': SECRET }) : join(createFolder({ secret: SECRET }), 'secret'),
  );
  expect(() => loadCassette(folder)).toThrow(
    expect.objectContaining({
      code: 'RECORDING_INVALID',
      message: expect.stringMatching(/^(?!.*sk_live).*symbolic link/s) as unknown,
    }),
  );
});

it('a cassette that is itself a link is replayed', async () => {
  const folder = await recordBody();
  const named = join(createFolder(), 'named');
  symlinkSync(folder, named);
  expect((await (await replay(named, SPEC)).fetch('/text')).status).toBe(200);
});
