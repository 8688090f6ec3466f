import { type Failure, type FuzzCase, type Sent, toAnswers, toSignature, toText } from './cases.js';

/** Plays a case and returns what goes wrong. */
export type Play = (given: FuzzCase) => Promise<Failure | undefined>;

/** How much work a reduction may be. */
export interface ReductionBudget {
  readonly plays: number;
  readonly ms: number;
}

/**
 * Reduces a failing case by delta debugging (Zeller and Hildebrandt, 2002): fewer connections, then fewer bytes on each, then a smaller document,
 * as long as it fails in the same way.
 *
 * @returns undefined if the case does not fail again.
 */
export async function reduceCase(
  { failure, given }: { readonly failure: Failure; readonly given: FuzzCase },
  play: Play,
  budget: ReductionBudget,
): Promise<FuzzCase | undefined> {
  const signature = toSignature(failure);
  const until = performance.now() + budget.ms;
  let plays = 0;
  const fails = async (candidate: FuzzCase): Promise<boolean> => {
    if (plays >= budget.plays || performance.now() > until) return false;
    plays += 1;
    const again = await play(candidate);
    return again !== undefined && toSignature(again) === signature;
  };
  const first = await findLast(given, fails);
  if (first === undefined) return undefined;
  let best = first;
  const withRequests = (requests: readonly Sent[]): FuzzCase => ({ ...best, requests });
  best = withRequests(await minimize(best.requests, (requests) => fails(withRequests(requests))));
  for (const [i, sent] of best.requests.entries()) {
    const withSent = (changed: Sent): FuzzCase =>
      withRequests(best.requests.map((old, k) => (k === i ? changed : old)));
    best = withSent(await reduceSent(sent, (changed) => fails(withSent(changed))));
  }
  return { ...best, document: await reduceJson(best.document, (document) => fails({ ...best, document })) };
}

/** Fewer lines, then fewer bytes; where answers must come, fewer header fields only, so that the request stays one. */
async function reduceSent(sent: Sent, fails: (sent: Sent) => Promise<boolean>): Promise<Sent> {
  const answers = toAnswers(sent);
  const text = toText(sent);
  if (answers !== undefined) {
    const [first = '', ...fields] = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n');
    const rest = text.slice(text.indexOf('\r\n\r\n'));
    const build = (left: readonly string[]): Sent => ({ bytes: [first, ...left].join('\r\n') + rest, answers });
    const isFraming = (field: string): boolean => /^(host|content-length|transfer-encoding)/i.test(field);
    const framing = fields.filter(isFraming);
    const others = fields.filter((field) => !isFraming(field));
    return build([...framing, ...(await minimize(others, (left) => fails(build([...framing, ...left]))))]);
  }
  let bytes = text;
  for (const pattern of [/[^\n]*\n|[^\n]+$/g, /[\w%-]+|[^]/g]) {
    bytes = (await minimize(bytes.match(pattern) ?? [], (left) => fails(left.join('')))).join('');
  }
  return bytes;
}

/** The last connections are mostly enough, one after the other or at the same time. */
async function findLast(given: FuzzCase, fails: (given: FuzzCase) => Promise<boolean>): Promise<FuzzCase | undefined> {
  const { length } = given.requests;
  const counts = [0, 1, 8, 100].filter((count) => count < length);
  for (const count of [...counts, length]) {
    const last = { ...given, requests: given.requests.slice(length - count) };
    if (await fails(last)) return last;
    const parallel = { ...last, parallel: true };
    if (count > 1 && (await fails(parallel))) return parallel;
  }
  return undefined;
}

/** What was seen, on one line. */
export function toFound({ kind, text }: Failure): string {
  return `${kind}: ${text.replaceAll(/\s+/g, ' ').slice(0, 600)}`;
}

/** The smallest part of a list, in order, that still fails, as far as removing pieces of it shows. */
export async function minimize<T>(
  items: readonly T[],
  fails: (items: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let left = items;
  for (
    let size = Math.ceil(left.length / 2);
    size >= 1 && left.length > 0;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let start = left.length - 1; start >= 0; start -= size) {
      const from = Math.max(0, start - size + 1);
      const fewer = [...left.slice(0, from), ...left.slice(start + 1)];
      if (fewer.length < left.length && (await fails(fewer))) left = fewer;
    }
  }
  return left;
}

/** Removes members and elements of a JSON value, the outer ones first, as long as it still fails. */
export async function reduceJson(value: unknown, fails: (value: unknown) => Promise<boolean>): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  const build = (entries: readonly (readonly [string, unknown])[]): unknown =>
    Array.isArray(value) ? entries.map(([, inner]) => inner) : toObject(entries);
  let entries = await minimize<readonly [string, unknown]>(Object.entries(value), (left) => fails(build(left)));
  for (const [i, [key, inner]] of entries.entries()) {
    const replace = (changed: unknown): readonly (readonly [string, unknown])[] =>
      entries.map((entry, k) => (k === i ? [key, changed] : entry));
    entries = replace(await reduceJson(inner, (changed) => fails(build(replace(changed)))));
  }
  return build(entries);
}

/** `Object.fromEntries` that takes `__proto__` for a name like any other. */
function toObject(entries: readonly (readonly [string, unknown])[]): object {
  const object = {};
  for (const [key, value] of entries)
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  return object;
}
