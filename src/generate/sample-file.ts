import { toEssence } from '../contract/media-type.js';
import { inflateRawSync } from 'node:zlib';
import { toTable } from './text/names.js';

/** A small, valid file of a media type, given with or without parameters. */
export function readSampleFile(mediaType: string): Uint8Array {
  const essence = toEssence(mediaType);
  if (isTextType(essence)) return Buffer.from(readSampleText(essence));
  const [family = ''] = essence.split('/');
  const file = FILES.get(essence) ?? FILES.get(family);
  if (file === undefined) return Buffer.from('sample bytes\n');
  return inflateRawSync(Buffer.from(file, 'base64'));
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

const TEXTS: ReadonlyMap<string, string> = toTable(
  Object.entries({
    'application/ecmascript application/javascript text/javascript': 'export {};\n',
    'application/json': '{}',
    'application/xml': XML,
    'application/yaml application/x-yaml': 'sample: true\n',
    'image/svg+xml':
      '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8" viewBox="0 0 8 8"><rect width="8" height="8" fill="#4a8"/></svg>\n',
    'text/calendar': 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//vouch//EN\r\nEND:VCALENDAR\r\n',
    'text/css': 'body { color: #234; }\n',
    'text/csv': 'id,name\r\n1,Amber Finch\r\n2,Quiet River\r\n',
    'text/html':
      '<!doctype html>\n<html lang="en"><head><title>Sample</title></head><body><p>A sample page.</p></body></html>\n',
    'text/markdown': '# Sample\n\nA sample text.\n',
    'text/tab-separated-values': 'id	name\n1	Amber Finch\n',
    'text/vtt': 'WEBVTT\n\n00:00.000 --> 00:01.000\nA sample.\n',
    'application/x-subrip': '1\n00:00:00,000 --> 00:00:01,000\nA sample.\n',
  }),
);

/** Small files, deflated, by media type; then by family, for other types of that family. */
const FILES: ReadonlyMap<string, string> = toTable(
  Object.entries({
    // PNG of one colour, 8 by 8 pixels (ISO/IEC 15948).
    'image/png image':
      '6wzwc+flkuJiYGDg9fRwCWJgYOAAYQ4mBgYG71zNOwwMDIKeLo4hFXOSCyKvNooa8uhyMpQ/iW10YF2SycDAwODp6ueyzimhCQA=',
    // Baseline JPEG of one grey block, 8 by 8 pixels (ITU-T T.81).
    'image/jpeg image/jpg': 'pYwxCoBAEMQy3YLNCf7nCuFAX23hIzxt/MnIlmJpykDiwzdlbUtDAiHwxYx+4o0hCEIa8c6U5zdpy9ee2UCluj8=',
    // GIF89a of one pixel.
    'image/gif': 'c/d0s7BMZGRgZGhgYHBZ1fH//38dBgYGBpAIAxOTCyODNQA=',
    // Lossless WebP of one pixel.
    'image/webp': 'C/J0c5NiYGAId3UKCAuw8OFlYGDQZ2BgEGAXEBTs6PjHzgAA',
    // BMP of one colour, 24 bits, 8 by 8 pixels.
    'image/bmp': 'c/L9xgABZgwMDBoMDAwcUMzIIAEWP8CACTpWuQxpBAA=',
    // Icon with one picture, the PNG.
    'image/x-icon image/vnd.microsoft.icon':
      'Y2BgZGBk4OBgYGBkUGDwYmBgEGNgYOgM8HPn5ZLiYmBg4PX0cAliYGDgAGEOJgYGBu9czTsMDAyCni6OIRVzkgsirzaKGvLocjKUP4ltdGBdksnA' +
      'wMDg6ernss4poQkA',
    // PDF of one page with one line of text (ISO 32000-1).
    'application/pdf':
      'bVJRS8MwGHzPr7iXgT5okjYtE8bAzQ1BRdn6NnzI1m+1o0tGk8n010va6gY1hJDcd3ffhWTw9jC/kbeKSQjY9Y6NRuDZ14HAp9rryhbgb7oghwgC' +
      'C4zHjEweiFFP0PL4U5k7rOJAfwef2qPxkBfC+F9hWGsyvuvDXygv9cSesBIQiISAjETjZzwZ76Ba3oKcPdYbcgh+c2t8u5FIusDt/O2uLro/kyn8' +
      'B1Qc6s7XpPdskjViOUS2RSSQCmQ5ru7h9P5QEQ66oGtkO8yyYNmpOvOkd7UmEF8e1745BlCCT7SjtvJI1Sf5cqMvIp5q2jKBlIm/gTRJ4gRbnLE7' +
      'tBVzxpJhD5My6WGRkj0sjtUZ87UuK6qbayzLb0IKvrA2PGP3B5zXtW9yKqHYYDB7nbMf',
    // ZIP archive with one stored file (APPNOTE 4.3).
    'application/zip application/x-zip-compressed':
      'C/BmZhFhgABFhi/+YV38DAwMIMzFwMBQnJhbkJOqV1JR4qgAYSuUpFaU6HEFeDMyiTDg1ogKEMYEeLOygUQYGRgZLBgYGMzB8gA=',
    // Gzip member of a short text (RFC 1952).
    'application/gzip application/x-gzip': 'k+/mYAAD5uIQDb8zuic8QzU812pcfMzE8MU/rIsfKAUA',
    // Tar archive with one file (POSIX ustar).
    'application/x-tar':
      'K07MLchJ1SupKGGgGTAwMDAwMzEB0wYGBui0gYGhOYINFjc3NzNlUDBgoAMoLS5JLGIwoItdgxA4KhSDU4BCSWpFiR4XwygYBaNgFIyCkQEA',
    // A tenth of a second without sound: PCM, 8 kHz, mono, 8 bits.
    'audio/wav audio/wave audio/x-wav audio/vnd.wave audio':
      'C/J0c3NhZmAIdwxzTcstURBgYGBgZGBkcJBnAGNGBg6GlMSSRAVmBoaGUTAKRgFOAAA=',
    // Three silent frames of MPEG-1 layer III, 128 kbit/s at 44.1 kHz.
    'audio/mpeg audio/mp3': '+/97whGGUTB4wf/RCBqNoFFAAQAA',
    // Opus in Ogg, mono, without audio data (RFC 3533, RFC 7845).
    'audio/ogg audio/opus': '809PD2ZgYoACRijdknNThVHYv6C02CM1MYURKNywGyzhD1LOgqwchOWCt79nFAUpD0lML2ZlYGAoyy9NzgApAQA=',
    // MP4 container without tracks (ISO/IEC 14496-12).
    'audio/mp4 video/mp4 video':
      'Y2BgkEkrqSzILM7PZWBgYgDRmcX5RrkFJoYMDAwlufn5ZQwMDDm5ZRkpDCiA+QWYYgQjBGBEVYXOd2DAC0CqOXJTEksA',
    // WebM container without clusters.
    'video/webm audio/webm': 'k3K9v3i+U1sjo9P3RkanT40sTp8bOZyaWspTk3Kd2huZnFobmSSCG9IZ/0MAAA==',
    // WOFF 2.0 font that browsers load, with one glyph (W3C WOFF2 section 4).
    'font/woff2':
      'K/d3M2JgZGBgYGDkYeAC0UwJDAwMJyBiWIAKoxmTCjMLiwJrBlsCu8IppdMs0usZD+jxVQiffprbIvVd+uVWB5v/27bP/X0/Jztvc9aVY+IBbT/y' +
      'TLj0Az4db86uMvLh8g884STsk2g8+0njE12ZD4/+XD9ZKHHQUcXnFhP3bPN+VYF+5kcHfLe5szXmXJ5QIxnYtPVZx0GG/z/1OZhs3tUEKzM0mIfI' +
      's57hVQj5794bEMvAsPKitJsJIyODQ/H6JbpHpJI3bHXbXLbo5bGbzQZh3npTrx86a5289VjKok+dRYkPam8z7/ZvqDn5YlFDvd6GGIOuB/cOpTxf' +
      '/oUBAA==',
  }),
);
