import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../src/base/exact-number.js';
import { decode, encode } from '../../src/features/redis/session-log.js';

describe('what processes write to their store', () => {
  it('is read as it was, whatever clients send, bytes included', () => {
    const key = fc.oneof(fc.string(), fc.constantFrom('\u0000bytes', '\u0000\u0000bytes', '\u0000', '__proto__'));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.uint8Array({ maxLength: 20 }),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(decode(encode(value))).toEqual(value);
      }),
    );
  });

  it('keeps the digits of an integer', () => {
    const { items } = decode(encode({ items: [new ExactNumber('9223372036854775807')] })) as { items: unknown[] };
    expect(items.map(String)).toEqual(['9223372036854775807']);
  });

  it('reads a Buffer as bytes', () => {
    expect(decode(encode([{ content: { bytes: Buffer.from('abc') } }]))).toEqual([
      { content: { bytes: new Uint8Array([97, 98, 99]) } },
    ]);
  });
});
