import { brotliDecompressSync, crc32, gunzipSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readSampleFile } from '../../src/generate/sample-file.js';

const read = (type: string): Buffer => Buffer.from(readSampleFile(type));

describe('a sample file of a media type', () => {
  it.each([
    ['image/png', '89504e470d0a1a0a'],
    ['image/jpeg', 'ffd8ffe0'],
    ['image/gif', '474946383961'],
    ['image/webp', '52494646'],
    ['image/bmp', '424d'],
    ['image/x-icon', '00000100'],
    ['image/vnd.microsoft.icon', '00000100'],
    ['application/pdf', '255044462d'],
    ['application/zip', '504b0304'],
    ['application/gzip', '1f8b08'],
    ['audio/wav', '52494646'],
    ['audio/mpeg', 'fffb'],
    ['audio/ogg', '4f676753'],
    ['video/mp4', '0000001c66747970'],
    ['video/webm', '1a45dfa3'],
    ['font/woff2', '774f4632'],
    ['image/x-unknown', '89504e47'],
    ['audio/x-unknown', '52494646'],
    ['application/octet-stream', '73616d706c65'],
  ])('%s begins with its magic number', (type, magic) => {
    expect(read(type).toString('hex').startsWith(magic)).toBe(true);
  });

  it('is the same every time, and small', () => {
    for (const type of ['image/png', 'application/pdf', 'application/zip', 'audio/wav', 'font/woff2']) {
      expect(read(type)).toEqual(read(type));
      expect(read(type).length).toBeLessThan(2048);
    }
  });

  it('a PNG has correct checksums and the pixels of its header', () => {
    const png = read('image/png');
    const chunks: { readonly name: string; readonly data: Buffer }[] = [];
    for (let at = 8; at < png.length;) {
      const length = png.readUInt32BE(at);
      const body = png.subarray(at + 4, at + 8 + length);
      expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(body));
      chunks.push({ name: body.toString('latin1', 0, 4), data: body.subarray(4) });
      at += 12 + length;
    }
    expect(chunks.map(({ name }) => name)).toEqual(['IHDR', 'IDAT', 'IEND']);
    const [width, height] = [chunks[0]?.data.readUInt32BE(0) ?? 0, chunks[0]?.data.readUInt32BE(4) ?? 0];
    expect(inflateSync(chunks[1]?.data ?? Buffer.alloc(0))).toHaveLength(height * (1 + width * 3));
  });

  it('the segments of a JPEG follow each other', () => {
    const jpeg = read('image/jpeg');
    const marks: number[] = [];
    let at = 2;
    while (jpeg[at] === 0xff && jpeg[at + 1] !== 0xda) {
      marks.push(jpeg[at + 1] ?? 0);
      at += 2 + jpeg.readUInt16BE(at + 2);
    }
    expect(marks).toEqual([0xe0, 0xdb, 0xc0, 0xc4, 0xc4]);
    expect(jpeg.subarray(-2).toString('hex')).toBe('ffd9');
  });

  it('a GIF ends with its trailer after one data block', () => {
    const gif = read('image/gif');
    const data = 13 + 6 + 10;
    expect([...gif.subarray(data)]).toEqual([2, 2, 0x44, 0x01, 0, 0x3b]);
  });

  it('an icon points at the PNG inside it', () => {
    const icon = read('image/x-icon');
    const [length, offset] = [icon.readUInt32LE(14), icon.readUInt32LE(18)];
    expect(icon.subarray(offset, offset + length)).toEqual(read('image/png'));
  });

  it('the cross-reference table of a PDF points at its objects', () => {
    const pdf = read('application/pdf').toString('latin1');
    const start = Number(/startxref\n(\d+)/.exec(pdf)?.[1]);
    expect(pdf.slice(start, start + 4)).toBe('xref');
    const offsets = [...pdf.slice(start).matchAll(/^(\d{10}) 00000 n /gm)].map((match) => Number(match[1]));
    expect(offsets).toHaveLength(5);
    for (const [i, offset] of offsets.entries()) expect(pdf.slice(offset)).toMatch(new RegExp(`^${i + 1} 0 obj\\n`));
    const length = Number(/\/Length (\d+)/.exec(pdf)?.[1]);
    expect(/stream\n([^]*?)\nendstream/.exec(pdf)?.[1]).toHaveLength(length);
  });

  it('a ZIP has one stored file with a correct checksum, found by its directory', () => {
    const zip = read('application/zip');
    const end = zip.length - 22;
    const central = zip.readUInt32LE(end + 16);
    expect(zip.readUInt32LE(end)).toBe(0x06054b50);
    expect(central + zip.readUInt32LE(end + 12)).toBe(end);
    expect(zip.readUInt32LE(central)).toBe(0x02014b50);
    const [crc, size, name] = [
      zip.readUInt32LE(central + 16),
      zip.readUInt32LE(central + 20),
      zip.readUInt16LE(central + 28),
    ];
    expect(zip.readUInt32LE(central + 42)).toBe(0);
    expect(zip.toString('latin1', central + 46, central + 46 + name)).toBe('sample.txt');
    expect(crc32(zip.subarray(30 + name, 30 + name + size))).toBe(crc);
  });

  it('gzip unpacks', () => {
    expect(gunzipSync(read('application/gzip')).toString()).toBe('A sample text.\n');
  });

  it('the checksum of a tar header is correct', () => {
    const tar = read('application/x-tar');
    const header = Buffer.from(tar.subarray(0, 512));
    const sum = parseInt(header.toString('latin1', 148, 154), 8);
    header.fill(' ', 148, 156);
    expect(header.reduce((total, byte) => total + byte, 0)).toBe(sum);
    expect(tar.length % 512).toBe(0);
  });

  it('the sizes inside a WAV add up', () => {
    const wav = read('audio/wav');
    expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
    expect(wav.toString('latin1', 8, 16)).toBe('WAVEfmt ');
  });

  it('every frame of an MP3 starts at the end of the one before', () => {
    const mp3 = read('audio/mpeg');
    // 144 * 128,000 / 44,100 bytes, rounded down.
    for (let at = 0; at < mp3.length; at += 417) expect(mp3.readUInt16BE(at)).toBe(0xfffb);
    expect(mp3.length % 417).toBe(0);
  });

  it('the boxes of an MP4 follow each other', () => {
    const mp4 = read('video/mp4');
    const names: string[] = [];
    let at = 0;
    while (at < mp4.length) {
      names.push(mp4.toString('latin1', at + 4, at + 8));
      at += mp4.readUInt32BE(at);
    }
    expect(names).toEqual(['ftyp', 'moov', 'mdat']);
    expect(at).toBe(mp4.length);
  });

  it('a WOFF2 has its length in its header, and its tables unpack to their lengths', () => {
    const font = read('font/woff2');
    expect(font.readUInt32BE(8)).toBe(font.length);
    let at = 48;
    let total = 0;
    for (let i = 0; i < font.readUInt16BE(12); i++) {
      at += 1;
      let length = 0;
      let byte = 0x80;
      while ((byte & 0x80) !== 0) {
        byte = font[at++] ?? 0;
        length = length * 128 + (byte & 0x7f);
      }
      total += length;
    }
    expect(brotliDecompressSync(font.subarray(at, at + font.readUInt32BE(20)))).toHaveLength(total);
  });

  it.each([
    ['text/csv', /^id,name\r\n/],
    ['text/html', /^<!doctype html>/],
    ['image/svg+xml', /^<svg /],
    ['application/xml', /^<\?xml /],
    ['text/plain; charset=utf-8', /^A sample text/],
  ])('%s is a text of its type', (type, want) => {
    expect(read(type).toString()).toMatch(want);
  });
});
