/** A tenth of a second of silence: RIFF, PCM, 8 kHz, mono, 8 bits. */
export function writeWav(): Uint8Array {
  const samples = Buffer.alloc(800, 0x80);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(8000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** Three silent frames of MPEG-1 layer III: 128 kbit/s at 44.1 kHz, 417 bytes each. */
export function writeMp3(): Uint8Array {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0xc4]);
  return Buffer.concat([frame, frame, frame]);
}

/** The head of an MP4 file (ISO/IEC 14496-12): its brand, a movie without tracks, and no media data. */
export function writeMp4(): Uint8Array {
  const brand = Buffer.concat([ascii('isom'), Buffer.from([0, 0, 2, 0]), ascii('isomiso2mp41')]);
  const movie = Buffer.alloc(100);
  // A timescale of a thousandth of a second, normal rate and volume, and the matrix that changes nothing.
  movie.writeUInt32BE(1000, 12);
  movie.writeUInt32BE(0x00010000, 20);
  movie.writeUInt16BE(0x0100, 24);
  movie.writeUInt32BE(0x00010000, 36);
  movie.writeUInt32BE(0x00010000, 52);
  movie.writeUInt32BE(0x40000000, 68);
  movie.writeUInt32BE(1, 96);
  return Buffer.concat([toBox('ftyp', brand), toBox('moov', toBox('mvhd', movie)), toBox('mdat', Buffer.alloc(0))]);
}

function toBox(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length + 8);
  return Buffer.concat([length, ascii(name), data]);
}

/** An Ogg stream of two pages that say "Opus, mono, nothing to play" (RFC 3533, RFC 7845). */
export function writeOgg(): Uint8Array {
  const head = Buffer.concat([ascii('OpusHead'), Buffer.from([1, 1, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0])]);
  const tags = Buffer.concat([ascii('OpusTags'), Buffer.from([5, 0, 0, 0]), ascii('vouch'), Buffer.alloc(4)]);
  return Buffer.concat([toPage(head, 0, 2), toPage(tags, 1, 4)]);
}

function toPage(data: Buffer, number: number, flags: number): Buffer {
  const page = Buffer.concat([ascii('OggS'), Buffer.alloc(22), Buffer.from([1, data.length]), data]);
  page[5] = flags;
  page.writeUInt32LE(1, 14);
  page.writeUInt32LE(number, 18);
  page.writeUInt32LE(checkOgg(page), 22);
  return page;
}

/** RFC 3533 section 6: CRC-32 with the polynomial 0x04c11db7, neither reflected nor inverted. */
function checkOgg(page: Buffer): number {
  let crc = 0;
  for (const byte of page) {
    crc ^= byte << 24;
    for (let i = 0; i < 8; i++) crc = (crc & 0x80000000) === 0 ? crc << 1 : (crc << 1) ^ 0x04c11db7;
  }
  return crc >>> 0;
}

/** The head of a WebM file: EBML with its document type, then a segment of unknown size without clusters. */
export function writeWebm(): Uint8Array {
  const type = Buffer.concat([Buffer.from([0x42, 0x82, 0x84]), ascii('webm')]);
  const versions = Buffer.from([0x42, 0x86, 0x81, 1, 0x42, 0xf7, 0x81, 1, 0x42, 0xf2, 0x81, 4, 0x42, 0xf3, 0x81, 8]);
  const rest = Buffer.from([0x42, 0x87, 0x81, 2, 0x42, 0x85, 0x81, 2]);
  const body = Buffer.concat([versions, type, rest]);
  const segment = Buffer.from([0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
  return Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80 | body.length]), body, segment]);
}

function ascii(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
