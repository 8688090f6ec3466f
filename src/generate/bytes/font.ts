import { brotliCompressSync } from 'node:zlib';

const EM = 1000;
const MAXIMUM = 0xffff;

/**
 * A WOFF 2.0 font (W3C WOFF2 section 4) that browsers load: the tables they ask for, `glyf` and `loca` untransformed, and one
 * glyph, the square that stands for characters a font does not have.
 */
export function writeWoff2(): Uint8Array {
  const glyph = writeGlyph();
  // The tags in the order of their numbers in the table of known tags.
  const tables: readonly (readonly [number: number, data: Buffer])[] = [
    [0, writeCmap()],
    [1, writeHead()],
    [2, words(1, 0, 800, -200, 0, EM, 0, 0, 800, 1, 0, 0, 0, 0, 0, 0, 0, 1)],
    [3, words(EM, 100)],
    [4, words(1, 0, 1, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)],
    [5, writeName()],
    [6, writeOs2()],
    [7, words(3, 0, 0, 0, -100, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
    [10 | UNTRANSFORMED, glyph],
    [11 | UNTRANSFORMED, words(0, glyph.length / 2)],
  ];
  const directory = Buffer.concat(tables.map(([flags, data]) => Buffer.from([flags, ...toBase128(data.length)])));
  const packed = brotliCompressSync(Buffer.concat(tables.map(([, data]) => data)));
  const header = Buffer.alloc(48);
  header.write('wOF2', 0, 'latin1');
  header.writeUInt32BE(0x00010000, 4);
  const length = header.length + directory.length + packed.length;
  const padding = Buffer.alloc((4 - (length % 4)) % 4);
  header.writeUInt32BE(length + padding.length, 8);
  header.writeUInt16BE(tables.length, 12);
  const unpacked = tables.reduce((sum, [, data]) => sum + 16 + Math.ceil(data.length / 4) * 4, 12);
  header.writeUInt32BE(unpacked, 16);
  header.writeUInt32BE(packed.length, 20);
  header.writeUInt16BE(1, 24);
  return Buffer.concat([header, directory, packed, padding]);
}

/** Transformation 3 of `glyf` and `loca` is none. */
const UNTRANSFORMED = 3 << 6;

/** A square of one contour: its box, where the contour ends, no instructions, four points on the curve. */
function writeGlyph(): Buffer {
  const head = words(1, 100, 0, 900, 800, 3, 0);
  return Buffer.concat([head, Buffer.from([1, 1, 1, 1]), words(100, 0, 800, 0, 0, 800, 0, -800)]);
}

/** Format 4 of the character map: no more than the segment that ends it, so that every character is glyph 0. */
function writeCmap(): Buffer {
  return Buffer.concat([words(0, 1, 3, 1, 0, 12), words(4, 24, 0, 2, 2, 0, 0, MAXIMUM, 0, MAXIMUM, 1, 0)]);
}

function writeHead(): Buffer {
  const head = Buffer.alloc(54);
  head.writeUInt32BE(0x00010000, 0);
  head.writeUInt32BE(0x00010000, 4);
  head.writeUInt32BE(0x5f0f3cf5, 12);
  head.writeUInt16BE(EM, 18);
  for (const [i, edge] of [100, 0, 900, 800].entries()) head.writeInt16BE(edge, 36 + i * 2);
  head.writeUInt16BE(8, 46);
  head.writeInt16BE(2, 48);
  return head;
}

/** The names of family, style, the font itself and its PostScript form, all for Windows in English. */
function writeName(): Buffer {
  const names: readonly (readonly [id: number, text: string])[] = [
    [1, 'Sample'],
    [2, 'Regular'],
    [4, 'Sample'],
    [6, 'Sample'],
  ];
  let offset = 0;
  const records = names.map(([id, text]) => {
    const record = words(3, 1, 0x409, id, text.length * 2, offset);
    offset += text.length * 2;
    return record;
  });
  const texts = names.map(([, text]) => words(...Array.from(text, (char) => char.charCodeAt(0))));
  return Buffer.concat([words(0, names.length, 6 + records.length * 12), ...records, ...texts]);
}

/** Version 4: weight and width regular, embedding allowed, printable ASCII. */
function writeOs2(): Buffer {
  const table = Buffer.alloc(96);
  const fields: readonly (readonly [at: number, value: number])[] = [
    [0, 4],
    [2, EM],
    [4, 400],
    [6, 5],
    [62, 0x40],
    [64, 0x20],
    [66, 0x7e],
    [68, 800],
    [74, 800],
    [76, 200],
    [86, 500],
    [88, 700],
    [92, 0x20],
    [94, 1],
  ];
  for (const [at, value] of fields) table.writeUInt16BE(value, at);
  table.writeInt16BE(-200, 70);
  table.write('NONE', 58, 'latin1');
  return table;
}

/** 16-bit words, negative ones in two's complement. */
function words(...values: readonly number[]): Buffer {
  const data = Buffer.alloc(values.length * 2);
  for (const [i, value] of values.entries()) data.writeUInt16BE(value & MAXIMUM, i * 2);
  return data;
}

/** UIntBase128 (WOFF2 section 4.1): seven bits a byte, the highest first. */
function toBase128(value: number): readonly number[] {
  return value < 0x80 ? [value] : [0x80 | (value >> 7), value & 0x7f];
}
