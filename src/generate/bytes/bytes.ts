import { writeGzip, writePdf, writeTar, writeZip } from './document.js';
import { writeWoff2 } from './font.js';
import { writeBmp, writeGif, writeIco, writeJpeg, writePng, writeWebp } from './image.js';
import { writeMp3, writeMp4, writeOgg, writeWav, writeWebm } from './media.js';

/** A small file of a media type (given without parameters) that programs which read the type can open. */
export function bytesFor(mediaType: string): Uint8Array {
  const essence = (mediaType.split(';')[0] ?? '').trim().toLowerCase();
  if (isTextType(essence)) return encode(textFor(essence));
  const [type = ''] = essence.split('/');
  const own = Object.hasOwn(WRITERS, essence) ? WRITERS[essence] : undefined;
  return (own ?? (Object.hasOwn(FAMILIES, type) ? FAMILIES[type] : undefined) ?? writeOctets)();
}

/** Whether a media type is text; given without parameters. */
export function isTextType(essence: string): boolean {
  return (
    essence.startsWith('text/') ||
    Object.hasOwn(TEXTS, essence) ||
    essence.endsWith('+xml') ||
    essence.endsWith('+json')
  );
}

/** A small text of a media type. */
export function textFor(essence: string): string {
  if (essence.endsWith('+json')) return '{}';
  const own = Object.hasOwn(TEXTS, essence) ? TEXTS[essence] : undefined;
  return own ?? (essence.endsWith('xml') ? '<?xml version="1.0" encoding="UTF-8"?>\n<root/>' : 'A sample text.\n');
}

const TEXTS: Readonly<Record<string, string>> = {
  'application/ecmascript': 'export {};\n',
  'application/javascript': 'export {};\n',
  'application/json': '{}',
  'application/x-yaml': 'sample: true\n',
  'application/xml': '<?xml version="1.0" encoding="UTF-8"?>\n<root/>',
  'application/yaml': 'sample: true\n',
  'image/svg+xml':
    '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8" viewBox="0 0 8 8"><rect width="8" height="8" fill="#4a8"/></svg>\n',
  'text/calendar': 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//vouch//EN\r\nEND:VCALENDAR\r\n',
  'text/css': 'body { color: #234; }\n',
  'text/csv': 'id,name\r\n1,Amber Finch\r\n2,Quiet River\r\n',
  'text/html':
    '<!doctype html>\n<html lang="en"><head><title>Sample</title></head><body><p>A sample page.</p></body></html>\n',
  'text/javascript': 'export {};\n',
  'text/markdown': '# Sample\n\nA sample text.\n',
  'text/tab-separated-values': 'id\tname\n1\tAmber Finch\n',
  'text/vtt': 'WEBVTT\n\n00:00.000 --> 00:01.000\nA sample.\n',
  'application/x-subrip': '1\n00:00:00,000 --> 00:00:01,000\nA sample.\n',
};

const WRITERS: Readonly<Record<string, (() => Uint8Array) | undefined>> = {
  'image/png': writePng,
  'image/jpeg': writeJpeg,
  'image/jpg': writeJpeg,
  'image/gif': writeGif,
  'image/webp': writeWebp,
  'image/bmp': writeBmp,
  'image/x-icon': writeIco,
  'image/vnd.microsoft.icon': writeIco,
  'application/pdf': writePdf,
  'application/zip': writeZip,
  'application/x-zip-compressed': writeZip,
  'application/gzip': writeGzip,
  'application/x-gzip': writeGzip,
  'application/x-tar': writeTar,
  'audio/wav': writeWav,
  'audio/wave': writeWav,
  'audio/x-wav': writeWav,
  'audio/vnd.wave': writeWav,
  'audio/mpeg': writeMp3,
  'audio/mp3': writeMp3,
  'audio/ogg': writeOgg,
  'audio/opus': writeOgg,
  'audio/mp4': writeMp4,
  'video/mp4': writeMp4,
  'video/webm': writeWebm,
  'audio/webm': writeWebm,
  'font/woff2': writeWoff2,
};

/** For a type nobody knows, another of its family is nearer than plain bytes. */
const FAMILIES: Readonly<Record<string, (() => Uint8Array) | undefined>> = {
  image: writePng,
  audio: writeWav,
  video: writeMp4,
};

function writeOctets(): Uint8Array {
  return encode('sample bytes\n');
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
