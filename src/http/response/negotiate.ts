import type { Streaming } from '../../contract/operations/operation.js';
import { asksForStream } from '../../contract/operations/streaming.js';
import {
  isCovered,
  isJsonType,
  isStructuredType,
  isXmlType,
  readMediaType,
  readPrecision,
  toEssence,
} from '../../contract/media-type.js';
import { splitList } from '../text.js';

/** One range of an Accept header. */
interface Range {
  readonly essence: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** 0 to 1. */
  readonly quality: number;
}

/** Types that mean any type: the official SDKs of several vendors send them for downloads. */
export const ANY_BYTES: ReadonlySet<string> = new Set(['application/octet-stream', 'application/binary']);

/**
 * The offered media type that the `Accept` header prefers, or undefined where it accepts none (RFC 9110 section 12.5.1).
 *
 * Of equal types the first offered one wins. A missing, empty or malformed `Accept` accepts everything. Without an exact match, one JSON type
 * also matches another (`application/json` and `application/vnd.x+json`), and a type of a vendor any type. An offered range (`text/*`) matches every type it covers and is
 * returned as a range.
 */
export function negotiate(accept: string | null, offered: readonly string[]): string | undefined {
  const first = offered[0];
  if (first === undefined) return undefined;
  // The headers of nearly every client.
  if (accept === null || accept === '*/*' || accept === first) return first;
  const ranges = readAccept(accept);
  if (ranges.length === 0) return first;
  return pick(ranges, offered, matches) ?? pick(ranges, offered, matchesLoosely);
}

/** Whether an `Accept` header that allows one of the types names another one of its kind (`application/vnd.x+json`, `text/xml`). */
export function isNearType(accept: string, offered: readonly string[]): boolean {
  const ranges = readAccept(accept);
  if (ranges.length === 0 || ranges.some(({ essence }) => ANY_BYTES.has(essence))) return false;
  return pick(ranges, offered, matches) === undefined && pick(ranges, offered, matchesLoosely) !== undefined;
}

/** The media type that a request for a stream or for the whole answer means; the `Accept` header where it decides. */
export function chooseAccept(
  streaming: Streaming,
  accept: string | null,
  { body, query }: { readonly body: unknown; readonly query: Readonly<Record<string, unknown>> },
): string | null {
  if (streaming.parameter === undefined) return accept;
  if (asksForStream(streaming, body, query)) return streaming.type;
  return negotiate(accept, streaming.others) ?? accept;
}

function readAccept(accept: string): readonly Range[] {
  return splitList(accept, ',').flatMap((text) => {
    const { essence, parameters } = readMediaType(text);
    if (essence !== '*' && !/^[^\s/]+\/[^\s/]+$/.test(essence)) return [];
    const { q = '1', ...rest } = parameters;
    const quality = Number.isFinite(Number(q)) ? Math.min(Math.max(Number(q), 0), 1) : 1;
    return [{ essence, parameters: rest, quality }];
  });
}

/** The offered type with the highest quality, which is that of the most precise range that matches it. */
function pick(
  ranges: readonly Range[],
  offered: readonly string[],
  isMatch: (range: Range, type: string) => boolean,
): string | undefined {
  let best: string | undefined;
  let bestQuality = 0;
  for (const type of offered) {
    let precision = 0;
    let quality = 0;
    for (const range of ranges) {
      if (!isMatch(range, type)) continue;
      const own = readPrecision(range.essence) + Object.keys(range.parameters).length;
      if (own > precision) [precision, quality] = [own, range.quality];
    }
    if (quality > bestQuality) [best, bestQuality] = [type, quality];
  }
  return best;
}

function matches(range: Range, type: string): boolean {
  const essence = toEssence(type);
  if (!isCovered(essence, range.essence) && !isCovered(range.essence, essence)) return false;
  const wanted = Object.entries(range.parameters);
  if (wanted.length === 0) return true;
  const { parameters } = readMediaType(type);
  // An offered type without a parameter matches every value: `application/json` matches `charset=utf-8`.
  return wanted.every(([name, value]) => {
    const own = parameters[name];
    return own === undefined || own.toLowerCase() === value.toLowerCase();
  });
}

/** Whether a type is one of a vendor (RFC 6838 section 3.2); services that do not know it answer with what they have. */
function isVendorType(essence: string): boolean {
  return essence.startsWith('application/vnd.');
}

function matchesLoosely(range: Range, type: string): boolean {
  const { essence } = range;
  if (ANY_BYTES.has(essence) || (isVendorType(essence) && !isStructuredType(essence))) return true;
  return isJsonType(essence) ? isJsonType(type) : isXmlType(essence) && isXmlType(type);
}
