import type { Random } from '../../random.js';
import { readWords } from './names.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const MIXED = LETTERS + LETTERS.toUpperCase() + DIGITS;

/** An identifier in the style of an example: its mark in front stays, and what looks random is drawn anew. */
export function imitateIdentifier(example: string, random: Random): string {
  if (isUuid(example)) return pickUuid(random);
  const mark = /^(?:[A-Za-z]+[_\-:.])+/.exec(example)?.[0] ?? '';
  const body = example.slice(mark.length);
  const isHex = /^(?=.*[a-f])(?=.*\d)[0-9a-f]{8,}$/.test(body);
  const draw = (char: string): string => (isHex ? random.text('0123456789abcdef', 1) : imitateChar(char, random));
  return mark + Array.from(body, draw).join('');
}

/** Words in the names of schemas that say nothing of the thing itself. */
const WRAPPING: ReadonlySet<string> = new Set(
  'base body create created dto full get input item list mini model new object output params payload request resource response result schema update'.split(
    ' ',
  ),
);

/** An identifier for a kind of thing: `pet_x7Kd0aQ2mL1c`. */
export function pickIdentifier(kind: string, random: Random): string {
  const words = readWords(kind).filter((word) => !WRAPPING.has(word));
  const pair = words.slice(-2).join('_');
  const mark = pair.length <= 16 ? pair : (words.at(-1) ?? '').slice(0, 16);
  const body = random.text(MIXED, 12);
  return mark === '' ? body : `${mark}_${body}`;
}

/** A random UUID of version 4 (RFC 9562 section 5.4). */
export function pickUuid(random: Random): string {
  const digits = random.text('0123456789abcdef', 31);
  const variant = random.pick(['8', '9', 'a', 'b']);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(12, 15)}-${variant}${digits.slice(15, 18)}-${digits.slice(18, 30)}`;
}

/** Whether a text is written as a UUID. */
function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text);
}

function imitateChar(char: string, random: Random): string {
  if (DIGITS.includes(char)) return random.text(DIGITS, 1);
  if (LETTERS.includes(char)) return random.text(LETTERS, 1);
  return LETTERS.includes(char.toLowerCase()) ? random.text(LETTERS.toUpperCase(), 1) : char;
}
