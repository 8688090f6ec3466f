import { isRandom } from '../../../conventions/secret-names.js';

/** Finds known secrets in texts; the time does not depend on their number. */
export interface SecretIndex {
  /** Adds a secret with its JSON, URL and base64 forms, if it is random enough to be the same secret anywhere. */
  add(secret: string, replacement: string): void;
  /** The text with the replacement of each secret in it. */
  replace(text: string): string;
  /** The first secret in the text. */
  find(text: string): string | undefined;
}

/** The last characters of a secret, by which it is found. */
const ANCHOR_LENGTH = 8;

interface IndexedSecret {
  readonly replacement: string;
  /** The characters after the last letter or digit, such as the padding of base64. */
  readonly tail: string;
}

/** Creates an index without secrets. */
export function createSecretIndex(): SecretIndex {
  // By the text up to the last letter or digit.
  const entries = new Map<string, IndexedSecret>();
  // The lengths of the entries with the same last characters, longest first: tokens of one service often begin with the same text.
  const lengths = new Map<string, readonly number[]>();
  const addForm = (form: string, replacement: string): void => {
    const core = form.replace(/[^A-Za-z0-9]+$/, '');
    if (core.length < ANCHOR_LENGTH || entries.has(core)) return;
    entries.set(core, { replacement, tail: form.slice(core.length) });
    const anchor = core.slice(-ANCHOR_LENGTH);
    const known = lengths.get(anchor) ?? [];
    const all = [...new Set([...known, core.length])].toSorted((x, y) => y - x);
    lengths.set(anchor, all);
  };
  /** The entry that ends before `end`. */
  const readEntry = (
    text: string,
    start: number,
    end: number,
  ): readonly [from: number, entry: IndexedSecret] | undefined => {
    for (const length of lengths.get(text.slice(end - ANCHOR_LENGTH, end)) ?? []) {
      const from = end - length;
      const entry = from < start ? undefined : entries.get(text.slice(from, end));
      if (entry !== undefined) return [from, entry];
    }
    return undefined;
  };
  return {
    add: (secret, replacement) => {
      if (!isRandom(secret)) return;
      for (const form of toForms(secret)) addForm(form, replacement);
    },
    replace: (text) => {
      if (lengths.size === 0) return text;
      let clean = '';
      let start = 0;
      for (const end of listEnds(text)) {
        const found = readEntry(text, start, end);
        if (found === undefined) continue;
        const [from, { replacement, tail }] = found;
        clean += text.slice(start, from) + replacement;
        start = text.startsWith(tail, end) ? end + tail.length : end;
      }
      return start === 0 ? text : clean + text.slice(start);
    },
    find: (text) => {
      if (lengths.size === 0) return undefined;
      for (const end of listEnds(text)) {
        const found = readEntry(text, 0, end);
        if (found !== undefined) return text.slice(found[0], end);
      }
      return undefined;
    },
  };
}

/** The positions after the last letter or digit of each run, where a secret may end. */
function* listEnds(text: string): Generator<number> {
  let wasWord = false;
  for (let i = 0; i <= text.length; i += 1) {
    const isWord = i < text.length && isWordCode(text.charCodeAt(i));
    if (wasWord && !isWord && i >= ANCHOR_LENGTH) yield i;
    wasWord = isWord;
  }
}

function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
}

/** The forms of a secret in a file: plain, JSON, URL, Latin-1, base64 and hexadecimal. */
export function toForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), bytes.toString('latin1')];
  const hex = bytes.toString('hex');
  return [...new Set([...forms, bytes.toString('base64'), bytes.toString('base64url'), hex, hex.toUpperCase()])];
}
