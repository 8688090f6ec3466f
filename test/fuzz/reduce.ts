import { type Failure, type FuzzCase, type Sent, toSignature } from './cases.js';
import type { Entry } from './trees.js';

/** Plays a case and returns what goes wrong. */
export type Play = (given: FuzzCase) => Promise<Failure | undefined>;

/** How much work a reduction may be. */
export interface ReductionBudget {
  readonly plays: number;
  readonly ms: number;
}

/**
 * Reduces a failing case by delta debugging (Zeller and Hildebrandt, 2002): fewer connections, then fewer files, then fewer paths,
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
  const { document, files } = best;
  if (files !== undefined) {
    const withFiles = (left: readonly (readonly [string, Entry])[]): FuzzCase => ({
      ...best,
      files: Object.fromEntries(left),
    });
    best = withFiles(await minimize(Object.entries(files), (left) => fails(withFiles(left))));
  }
  if (typeof document !== 'object' || document === null || !('paths' in document)) return best;
  const withPaths = (paths: readonly (readonly [string, unknown])[]): FuzzCase => ({
    ...best,
    document: { ...document, paths: Object.fromEntries(paths) },
  });
  const paths = Object.entries(document.paths ?? {});
  return withPaths(await minimize<readonly [string, unknown]>(paths, (left) => fails(withPaths(left))));
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
