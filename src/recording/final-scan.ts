import { MockError } from '../errors.js';
import { toPointer } from '../contract/pointer.js';
import type { Vault } from './placeholder.js';
import type { SecretPattern } from './secret-rules.js';
import type { WrittenText } from './cassette-writer.js';

/** Looks for secrets in texts that are about to be written. @throws MockError `RECORDING_SECRET` with place and rule. */
export type FinalScan = (texts: readonly WrittenText[]) => void;

/** The scan with what the vault knows, what is watched for, and the patterns. */
export function createFinalScan(
  vault: Vault,
  patterns: readonly SecretPattern[],
  watched: readonly { readonly rule: string; readonly value: string }[],
): FinalScan {
  const variants = new Map<string, readonly string[]>();
  const toKnownVariants = (secret: string): readonly string[] => {
    const made = variants.get(secret) ?? toVariants(secret);
    variants.set(secret, made);
    return made;
  };
  const findKnown = (text: string): Hit | undefined => {
    for (const { rule, value } of watched) {
      const variant = toKnownVariants(value).find((candidate) => text.includes(candidate));
      if (variant !== undefined) return { rule, found: variant };
    }
    for (const [secret] of vault.secrets()) {
      const variant = toKnownVariants(secret).find((candidate) => text.includes(candidate));
      if (variant !== undefined) return { rule: 'known', found: variant };
    }
    return undefined;
  };
  const findPattern = (text: string): Hit | undefined => {
    for (const { rule, pattern } of patterns) {
      for (const match of text.matchAll(pattern)) {
        const found = match.groups?.['secret'] ?? match[0];
        if (!isIssued(vault, found)) return { rule, found };
      }
    }
    return undefined;
  };
  return (texts) => {
    for (const { file, text } of texts) {
      const hit = findKnown(file) ?? findKnown(text) ?? findPattern(text);
      if (hit !== undefined) throw refuse(file, text, hit);
    }
  };
}

interface Hit {
  readonly rule: string;
  readonly found: string;
}

/** The ways in which a secret can stand in a file. */
function toVariants(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    ...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), bytes.toString('base64')]),
  ];
}

/** Whether what a pattern found in a file's text is a placeholder, escaped as JSON escapes it or not. */
function isIssued(vault: Vault, found: string): boolean {
  if (vault.isPlaceholder(found)) return true;
  try {
    return vault.isPlaceholder(JSON.parse(`"${found}"`) as string);
  } catch {
    return false;
  }
}

function refuse(file: string, text: string, { rule, found }: Hit): MockError {
  const pointer = findPointer(text, found);
  return new MockError('RECORDING_SECRET', `a secret is left after redaction (${rule}); the exchange was not written`, {
    // The line would tell nobody anything: the file does not exist.
    at: { file, ...(pointer === undefined ? {} : { pointer }) },
    hint: 'name the member in `redact.keys` or the header in `redact.headers`; if it is no secret, name it in `redact.keep`',
  });
}

/** Where in a JSON text a string stands, as a pointer. */
function findPointer(text: string, found: string): string | undefined {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return undefined;
  }
  const search = (value: unknown, pointer: string): string | undefined => {
    if (typeof value === 'string') return JSON.stringify(value).includes(found) ? pointer : undefined;
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [name, member] of Object.entries(value)) {
      const below = pointer + toPointer(name);
      const hit = JSON.stringify(name).includes(found) ? below : search(member, below);
      if (hit !== undefined) return hit;
    }
    return undefined;
  };
  return search(root, '');
}
