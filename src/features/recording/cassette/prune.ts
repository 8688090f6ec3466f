import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UNDOCUMENTED } from '../../../contract/operations/undocumented.js';
import { readCall } from '../matching/exchange-index.js';
import { createMatcher, type MatcherParts } from '../matching/match.js';
import { toFileName, writeAtomically } from './cassette-writer.js';
import { BODIES_FOLDER, type Cassette, listBodyFiles, loadBodyBytes, type StoredExchange } from './cassette.js';
import { writeCanonical } from './canonical.js';
import { type RecordedBody, type RecordedExchange, toBody, writeExchange } from './exchange.js';

/** An exchange that replay does not need. */
interface RedundantExchange {
  readonly exchange: StoredExchange;
  readonly why: string;
}

/**
 * The exchanges that replay does not need: exchanges of operations that the contract no longer has, and repetitions at the end of a
 * sequence, whose last exchange is repeated anyway.
 */
export function findRedundant(cassette: Cassette, parts: MatcherParts): readonly RedundantExchange[] {
  const matcher = createMatcher(cassette, parts);
  const redundant = new Map<number, RedundantExchange>();
  const sequences = new Map<string, readonly StoredExchange[]>();
  for (const exchange of cassette.exchanges) {
    const key = matcher.keyOf(exchange);
    const isKnown =
      exchange.operation === UNDOCUMENTED || readCall(exchange.request, parts)?.operation.id === exchange.operation;
    if (key === undefined || !isKnown) {
      const why = `its request no longer matches operation "${exchange.operation}"`;
      redundant.set(exchange.number, { exchange, why });
    } else sequences.set(key, [...(sequences.get(key) ?? []), exchange]);
  }
  for (const sequence of sequences.values()) {
    const outcomes = sequence.map((exchange) => toOutcome(cassette, exchange));
    const end = outcomes.findLastIndex((outcome) => outcome !== outcomes.at(-1)) + 2;
    for (const [i, exchange] of sequence.slice(end).entries()) {
      redundant.set(exchange.number, { exchange, why: `it repeats ${sequence[end + i - 1]?.file ?? ''}` });
    }
  }
  return [...redundant.values()].sort((x, y) => x.exchange.number - y.exchange.number);
}

/** Removes exchanges and unused body files, and renumbers the others without gaps. @returns the new file names by the old ones. */
export async function pruneCassette(
  cassette: Cassette,
  redundant: readonly RedundantExchange[],
): Promise<ReadonlyMap<string, string>> {
  const { folder } = cassette;
  const dropped = new Set(redundant.map(({ exchange }) => exchange.number));
  for (const { exchange } of redundant) rmSync(join(folder, exchange.file));
  const renamed = new Map<string, string>();
  const kept = cassette.exchanges.filter(({ number }) => !dropped.has(number));
  const bodies = new Set<string>();
  for (const [i, exchange] of kept.entries()) {
    const moved = await renumber(folder, exchange, i + 1);
    for (const [, path] of listBodyFiles(moved)) bodies.add(path);
    if (moved.file !== exchange.file) renamed.set(exchange.file, moved.file);
  }
  for (const name of readdirSync(join(folder, BODIES_FOLDER))) {
    if (!bodies.has(`${BODIES_FOLDER}/${name}`)) rmSync(join(folder, BODIES_FOLDER, name));
  }
  return renamed;
}

/** The outcome of an exchange without the date. */
function toOutcome({ folder }: Cassette, { response, failure }: StoredExchange): string {
  if (response === undefined) return writeCanonical(failure);
  const { date: _, ...headers } = response.headers;
  const bytes = response.bodyFile === undefined ? undefined : loadBodyBytes(folder, response);
  const content = bytes === undefined ? toBody(response) : Buffer.from(bytes).toString('base64');
  return writeCanonical([response.status, headers, content]);
}

/** Gives an exchange a lower number; writes the new files first, so that an interruption loses nothing. */
async function renumber(folder: string, exchange: StoredExchange, number: number): Promise<StoredExchange> {
  if (exchange.number === number) return exchange;
  const prefix = (of: number): string => `${BODIES_FOLDER}/${String(of).padStart(4, '0')}.`;
  const move = async <T extends RecordedBody>(body: T): Promise<T> => {
    const parts = body.parts === undefined ? {} : { parts: await Promise.all(body.parts.map(move)) };
    if (body.bodyFile === undefined) return { ...body, ...parts };
    const bodyFile = body.bodyFile.replace(prefix(exchange.number), prefix(number));
    await writeAtomically(join(folder, bodyFile), loadBodyBytes(folder, body) ?? new Uint8Array());
    return { ...body, bodyFile };
  };
  const moved: RecordedExchange = {
    ...exchange,
    number,
    request: await move(exchange.request),
    response: exchange.response && (await move(exchange.response)),
  };
  const file = toFileName(moved);
  await writeAtomically(join(folder, file), writeExchange(moved));
  rmSync(join(folder, exchange.file));
  return { ...moved, file };
}
