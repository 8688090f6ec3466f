import { inflateRawSync } from 'node:zlib';
import { toTable } from './text/names.js';

/** A small, valid file of a media type, given with or without parameters. */
export function readSampleFile(mediaType: string): Uint8Array {
  const essence = (mediaType.split(';')[0] ?? '').trim().toLowerCase();
  if (isTextType(essence)) return Buffer.from(readSampleText(essence));
  const [family = ''] = essence.split('/');
  const file = FILES.get(essence) ?? FILES.get(family);
  if (file === undefined) return Buffer.from('sample bytes\n');
  return 'base64' in file ? Buffer.from(file.base64, 'base64') : inflateRawSync(Buffer.from(file.deflated, 'base64'));
}

/** Whether a media type is text; given without parameters. */
export function isTextType(essence: string): boolean {
  return essence.startsWith('text/') || TEXTS.has(essence) || /\+(?:xml|json)$/.test(essence);
}

/** A small text of a media type; given without parameters. */
export function readSampleText(essence: string): string {
  if (essence.endsWith('+json')) return '{}';
  return TEXTS.get(essence) ?? (essence.endsWith('xml') ? XML : 'A sample text.\n');
}

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n<root/>';

const TEXTS: ReadonlyMap<string, string> = toTable([
  ['application/ecmascript application/javascript text/javascript', 'export {};\n'],
  ['application/json', '{}'],
  ['application/xml', XML],
  ['application/yaml application/x-yaml', 'sample: true\n'],
  [
    'image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8" viewBox="0 0 8 8"><rect width="8" height="8" fill="#4a8"/></svg>\n',
  ],
  ['text/calendar', 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//vouch//EN\r\nEND:VCALENDAR\r\n'],
  ['text/css', 'body { color: #234; }\n'],
  ['text/csv', 'id,name\r\n1,Amber Finch\r\n2,Quiet River\r\n'],
  [
    'text/html',
    '<!doctype html>\n<html lang="en"><head><title>Sample</title></head><body><p>A sample page.</p></body></html>\n',
  ],
  ['text/markdown', '# Sample\n\nA sample text.\n'],
  ['text/tab-separated-values', 'id	name\n1	Amber Finch\n'],
  ['text/vtt', 'WEBVTT\n\n00:00.000 --> 00:01.000\nA sample.\n'],
  ['application/x-subrip', '1\n00:00:00,000 --> 00:00:01,000\nA sample.\n'],
]);

/** The bytes of a file: as they are, or deflated where the file consists mostly of zeros or of text. */
type SampleFile = { readonly base64: string } | { readonly deflated: string };

/** PNG of one colour, 8 by 8 pixels (ISO/IEC 15948). */
const PNG: SampleFile = {
  base64: 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGNwWdWBFTEMLQkAd+RdgUAFpGkAAAAASUVORK5CYII=',
};
/** Baseline JPEG of one grey block, 8 by 8 pixels (ITU-T T.81). */
const JPEG: SampleFile = {
  deflated: 'pYwxCoBAEMQy3YLNCf7nCuFAX23hIzxt/MnIlmJpykDiwzdlbUtDAiHwxYx+4o0hCEIa8c6U5zdpy9ee2UCluj8=',
};
/** GIF89a of one pixel. */
const GIF: SampleFile = { base64: 'R0lGODlhAQABAIAAAESqiP///ywAAAAAAQABAAACAkQBADs=' };
/** Lossless WebP of one pixel. */
const WEBP: SampleFile = { base64: 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==' };
/** BMP of one colour, 24 bits, 8 by 8 pixels. */
const BMP: SampleFile = { deflated: 'c/L9xgABZgwMDBoMDAwcUMzIIAEWP8CACTpWuQxpBAA=' };
/** Icon with one picture, the PNG. */
const ICO: SampleFile = {
  base64:
    'AAABAAEACAgAAAEAIABKAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAIAAAACAgCAAAAS20p3AAAABFJREFUeJxjcFnVgRUxDC0JAHfkXYFA' +
    'BaRpAAAAAElFTkSuQmCC',
};
/** PDF of one page with one line of text (ISO 32000-1). */
const PDF: SampleFile = {
  deflated:
    'bVJRS8MwGHzPr7iXgT5okjYtE8bAzQ1BRdn6NnzI1m+1o0tGk8n010va6gY1hJDcd3ffhWTw9jC/kbeKSQjY9Y6NRuDZ14HAp9rryhbgb7og' +
    'hwgCC4zHjEweiFFP0PL4U5k7rOJAfwef2qPxkBfC+F9hWGsyvuvDXygv9cSesBIQiISAjETjZzwZ76Ba3oKcPdYbcgh+c2t8u5FIusDt/O2u' +
    'Lro/kyn8B1Qc6s7XpPdskjViOUS2RSSQCmQ5ru7h9P5QEQ66oGtkO8yyYNmpOvOkd7UmEF8e1745BlCCT7SjtvJI1Sf5cqMvIp5q2jKBlIm/' +
    'gTRJ4gRbnLE7tBVzxpJhD5My6WGRkj0sjtUZ87UuK6qbayzLb0IKvrA2PGP3B5zXtW9yKqHYYDB7nbMf',
};
/** ZIP archive with one stored file (APPNOTE 4.3). */
const ZIP: SampleFile = {
  base64:
    'UEsDBBQAAAAAAAAAIQD0T1aKDwAAAA8AAAAKAAAAc2FtcGxlLnR4dEEgc2FtcGxlIHRleHQuClBLAQIUABQAAAAAAAAAIQD0T1aKDwAAAA8A' +
    'AAAKAAAAAAAAAAAAAAAAAAAAAABzYW1wbGUudHh0UEsFBgAAAAABAAEAOAAAADcAAAAAAA==',
};
/** Gzip member of a short text (RFC 1952). */
const GZIP: SampleFile = { base64: 'H4sIAAAAAAAAA3NUKE7MLchJVShJrSjR4wIA9E9Wig8AAAA=' };
/** Tar archive with one file (POSIX ustar). */
const TAR: SampleFile = {
  deflated:
    'K07MLchJ1SupKGGgGTAwMDAwMzEB0wYGBui0gYGhOYINFjc3NzNlUDBgoAMoLS5JLGIwoItdgxA4KhSDU4BCSWpFiR4XwygYBaNgFIyCkQEA',
};
/** A tenth of a second without sound: PCM, 8 kHz, mono, 8 bits. */
const WAV: SampleFile = { deflated: 'C/J0c3NhZmAIdwxzTcstURBgYGBgZGBkcJBnAGNGBg6GlMSSRAVmBoaGUTAKRgFOAAA=' };
/** Three silent frames of MPEG-1 layer III, 128 kbit/s at 44.1 kHz. */
const MP3: SampleFile = { deflated: '+/97whGGUTB4wf/RCBqNoFFAAQAA' };
/** Opus in Ogg, mono, without audio data (RFC 3533, RFC 7845). */
const OGG: SampleFile = {
  base64:
    'T2dnUwACAAAAAAAAAAABAAAAAAAAAIRs2SQBE09wdXNIZWFkAQEAAIC7AAAAAABPZ2dTAAQAAAAAAAAAAAEAAAABAAAAHlO37wEVT3B1c1Rh' +
    'Z3MFAAAAdm91Y2gAAAAA',
};
/** MP4 container without tracks (ISO/IEC 14496-12). */
const MP4: SampleFile = {
  deflated: 'Y2BgkEkrqSzILM7PZWBgYgDRmcX5RrkFJoYMDAwlufn5ZQwMDDm5ZRkpDCiA+QWYYgQjBGBEVYXOd2DAC0CqOXJTEksA',
};
/** WebM container without clusters. */
const WEBM: SampleFile = { base64: 'GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYECGFOAZwH/////////' };
/** WOFF 2.0 font that browsers load, with one glyph (W3C WOFF2 section 4). */
const WOFF2: SampleFile = {
  base64:
    'd09GMgABAAAAAAEMAAoAAAAAAmAAAADIAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACQBNgIkAwQEIAVoBmAHIMoiywQbrwHALg54E8vlbYQa' +
    '9xvptUA8/7a3nfvfbGtus2rUxhdQhvhuNAovUPLHg2t6MkwKT1HIQhNMYTOb5IHkLRzw4vzXyXEYwUEkTNoCC5s3jyUQjwPiwE22RwaBbNOQ' +
    'fBlRgrXmiMEA//kvCAI87nxTIwCAN1QfBcwNIFT/R41QXQAAqdEbRjQBAQBAc6+kLcQaY7C1RrN2ounG2YMwVksuldfCzTtjtcZkovKJcmHg' +
    'fdsDu0+AfMnoooB/LrBcMIrg3sJk56f0AA==',
};

/** By media type; then by family, for other types of that family. */
const FILES: ReadonlyMap<string, SampleFile> = toTable<SampleFile>([
  ['image/png image', PNG],
  ['image/jpeg image/jpg', JPEG],
  ['image/gif', GIF],
  ['image/webp', WEBP],
  ['image/bmp', BMP],
  ['image/x-icon image/vnd.microsoft.icon', ICO],
  ['application/pdf', PDF],
  ['application/zip application/x-zip-compressed', ZIP],
  ['application/gzip application/x-gzip', GZIP],
  ['application/x-tar', TAR],
  ['audio/wav audio/wave audio/x-wav audio/vnd.wave audio', WAV],
  ['audio/mpeg audio/mp3', MP3],
  ['audio/ogg audio/opus', OGG],
  ['audio/mp4 video/mp4 video', MP4],
  ['video/webm audio/webm', WEBM],
  ['font/woff2', WOFF2],
]);
