import { crc32, deflateSync } from 'node:zlib';

/** Width and height of every picture here. */
const SIZE = 8;
const [RED, GREEN, BLUE] = [0x44, 0xaa, 0x88];

/** A PNG of one colour (ISO/IEC 15948): IHDR, IDAT, IEND. */
export function writePng(): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  // Eight bits, true colour, and the only compression, filter and interlace methods that are plain.
  header.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.from([0, ...Array.from({ length: SIZE }, () => [RED, GREEN, BLUE]).flat()]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: SIZE }, () => row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, toChunk('IHDR', header), toChunk('IDAT', pixels), toChunk('IEND', Buffer.alloc(0))]);
}

function toChunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A baseline JPEG of one grey block (ITU-T T.81): one component, one code in each Huffman table. */
export function writeJpeg(): Uint8Array {
  const oneCode = [1, ...Array.from({ length: 15 }, () => 0), 0];
  return Buffer.from(
    [
      [0xff, 0xd8],
      [0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0],
      [0xff, 0xdb, 0, 67, 0, ...Array.from({ length: 64 }, () => 1)],
      [0xff, 0xc0, 0, 11, 8, 0, SIZE, 0, SIZE, 1, 1, 0x11, 0],
      [0xff, 0xc4, 0, 20, 0x00, ...oneCode],
      [0xff, 0xc4, 0, 20, 0x10, ...oneCode],
      [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0],
      // "No difference" and "end of block", a bit each; the rest of the byte is ones.
      [0x3f],
      [0xff, 0xd9],
    ].flat(),
  );
}

/** A GIF89a of one pixel. */
export function writeGif(): Uint8Array {
  const screen = [1, 0, 1, 0, 0x80, 0, 0];
  const colours = [RED, GREEN, BLUE, 0xff, 0xff, 0xff];
  const picture = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0];
  // LZW: clear, the first colour, end.
  const pixels = [2, 2, 0x44, 0x01, 0];
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    Buffer.from([screen, colours, picture, pixels, [0x3b]].flat()),
  ]);
}

/** A lossless WebP of one pixel: a RIFF container with one VP8L chunk. */
export function writeWebp(): Uint8Array {
  return Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64');
}

/** A BMP of one colour, 24 bits, bottom up. */
export function writeBmp(): Uint8Array {
  const row = Array.from({ length: SIZE }, () => [BLUE, GREEN, RED]).flat();
  const pixels = Buffer.from(Array.from({ length: SIZE }, () => row).flat());
  const header = Buffer.alloc(54);
  header.write('BM', 0, 'latin1');
  header.writeUInt32LE(54 + pixels.length, 2);
  header.writeUInt32LE(54, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(SIZE, 18);
  header.writeInt32LE(SIZE, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  header.writeUInt32LE(pixels.length, 34);
  return Buffer.concat([header, pixels]);
}

/** An icon file with one picture, a PNG. */
export function writeIco(): Uint8Array {
  const picture = writePng();
  const header = Buffer.alloc(22);
  header.set([0, 0, 1, 0, 1, 0, SIZE, SIZE, 0, 0, 1, 0, 32, 0]);
  header.writeUInt32LE(picture.length, 14);
  header.writeUInt32LE(22, 18);
  return Buffer.concat([header, picture]);
}
