import { crc32, gzipSync } from 'node:zlib';

const TEXT = 'A sample text.\n';

/** A PDF of one page with one line on it; its cross-reference table is true (ISO 32000-1 7.5). */
export function writePdf(): Uint8Array {
  const content = 'BT /F1 18 Tf 20 60 Td (A sample page) Tj ET';
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 120] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets: number[] = [];
  for (const [i, object] of objects.entries()) {
    offsets.push(text.length);
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
  }
  const start = text.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

/** A ZIP archive with one stored file (APPNOTE 4.3): local header, data, central directory, its end. */
export function writeZip(): Uint8Array {
  const name = Buffer.from('sample.txt', 'latin1');
  const data = Buffer.from(TEXT, 'latin1');
  // Version 2.0, no flags, stored, 1 January 1980, 00:00.
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(0x21, 8);
  common.writeUInt32LE(crc32(data), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(data.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common, name, data]);
  const made = Buffer.from([20, 0]);
  const central = Buffer.concat([Buffer.from('PK\u0001\u0002', 'latin1'), made, common, Buffer.alloc(14), name]);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 0, 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}

/** A gzip member of a short text (RFC 1952). */
export function writeGzip(): Uint8Array {
  return gzipSync(TEXT);
}

/** A tar archive with one file (POSIX ustar), closed by two empty blocks. */
export function writeTar(): Uint8Array {
  const header = Buffer.alloc(512);
  const fields: readonly (readonly [text: string, at: number])[] = [
    ['sample.txt', 0],
    ['0000644\0', 100],
    ['0000000\0', 108],
    ['0000000\0', 116],
    [`${TEXT.length.toString(8).padStart(11, '0')}\0`, 124],
    ['00000000000\0', 136],
    ['        ', 148],
    ['0', 156],
    ['ustar\u000000', 257],
  ];
  for (const [text, at] of fields) header.write(text, at, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  const data = Buffer.alloc(512);
  data.write(TEXT, 'latin1');
  return Buffer.concat([header, data, Buffer.alloc(1024)]);
}
