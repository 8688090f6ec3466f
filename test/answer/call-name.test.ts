import { expect, it } from 'vitest';
import { nameCall } from '../../src/answer/chain.js';
import { createAsk, toDocument } from '../http/decode.js';

const SIZE = 1_000_000;

async function name(boundary: string, bytes: Uint8Array, path = '/things?a=1'): Promise<string> {
  const content = { 'multipart/form-data': { schema: { type: 'object' } } };
  const ask = await createAsk(toDocument({ requestBody: { content } }, {}, 'post /things'), {
    bodyLimitBytes: 2 * SIZE,
  });
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--`)]);
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  return nameCall(await ask({ ask: `POST ${path}`, headers, body }));
}

it('the key of a call is short for a large file too', async () => {
  expect((await name('x', new Uint8Array(SIZE))).length).toBeLessThan(300);
});

it('the key of a call depends on the file and not on the boundary', async () => {
  const one = await name('x', new Uint8Array([1, 2]));
  expect(await name('y', new Uint8Array([1, 2]))).toBe(one);
  expect(await name('x', new Uint8Array([1, 3]))).not.toBe(one);
  expect(await name('x', new Uint8Array([1, 2]), '/things?a=2')).not.toBe(one);
});
