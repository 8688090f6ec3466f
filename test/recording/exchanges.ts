import { join } from 'node:path';
import { type CassetteWriter, openCassette } from '../../src/features/recording/cassette/cassette-writer.js';
import type { NewExchange } from '../../src/features/recording/cassette/exchange.js';
import { createManifest } from '../../src/features/recording/cassette/manifest.js';
import { createRedactor, type Redactor } from '../../src/features/recording/redaction/redact.js';
import type { RedactionOptions } from '../../src/features/recording/redaction/secret-rules.js';
import { createRecorder, type Recorder } from '../../src/features/recording/upstream/recorder.js';
import { type ContractParts, loadParts, SHOP } from './contract.js';
import { createFolder, readEveryFile } from '../folders.js';

export const parts: ContractParts = await loadParts(SHOP);

export const JSON_TYPE = { 'content-type': 'application/json' };

/** What differs from a plain call of `addItem`; the members are those of an exchange. */
export type Change = { readonly request?: object; readonly response?: object; readonly failure?: object };

/** A call of `addItem` with these differences. */
export function toExchange({ request, response, failure }: Change): NewExchange {
  const head = { method: 'POST', path: '/api/items', pathParams: {}, query: {}, headers: JSON_TYPE };
  return {
    operation: 'addItem',
    recordedAt: '2026-01-01T00:00:00.000Z',
    elapsedMs: 1,
    request: { ...head, ...request },
    response: failure === undefined ? { status: 200, headers: JSON_TYPE, ...response } : undefined,
    failure: failure as NewExchange['failure'],
  };
}

/** A redactor of the shop. */
export function createShopRedactor(
  options: RedactionOptions = {},
  watched: readonly { readonly rule: string; readonly value: string }[] = [],
): Redactor {
  return createRedactor({ ...parts, options, earlier: {}, watched });
}

/** The operation `addItem`. */
export function findOperation(): NonNullable<ReturnType<ContractParts['contract']['operation']>> {
  const operation = parts.contract.operation('addItem');
  if (operation === undefined) throw new Error('the shop has it');
  return operation;
}

/** A recorder with a cassette of its own. */
export interface ShopRecorder {
  readonly folder: string;
  readonly writer: CassetteWriter;
  readonly recorder: Recorder;
  add(change: Change): ReturnType<Recorder['record']>;
  /** The files of the cassette whose names end so, by path from its folder. */
  read(end?: string): ReadonlyMap<string, string>;
}

/** Opens a recorder. */
export function openShopRecorder(redactor: Redactor = createShopRedactor()): ShopRecorder {
  const folder = join(createFolder(), 'shop');
  const writer = openCassette(folder, createManifest(parts.contract, { upstream: '' }));
  const recorder = createRecorder({ writer, redactor, replacement: undefined });
  return {
    folder,
    writer,
    recorder,
    add: (change) => recorder.record(toExchange(change), findOperation()),
    read: (end = '') =>
      new Map(
        readEveryFile(folder)
          .filter(({ path }) => path.endsWith(end))
          .map(({ path, bytes }) => [path.slice(folder.length + 1), bytes.toString('latin1')]),
      ),
  };
}
