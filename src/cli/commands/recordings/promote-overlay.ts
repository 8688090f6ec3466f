import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract } from '../../../contract/contract.js';
import { MockError } from '../../../base/errors.js';
import type { Cassette } from '../../../features/recording/cassette/cassette.js';
import { createResponseCheck } from '../../../http/response/response-check.js';
import { type DocumentChange, findDocumentChanges } from '../../../features/recording/promote/document-drift.js';
import { learnHints, learnRefusals } from '../../../features/recording/promote/learn.js';
import { listMissingCredentials } from '../../../features/recording/promote/promote-rules.js';
import { inferResources } from '../../../resources/infer/infer.js';
import { createValidators } from '../../../schema/validate.js';
import { loadDocument } from '../../document.js';
import { writeOutputFile } from '../../output.js';
import type { PromoteFlags } from './promote-report.js';

/** The overlay of a promoted recording. */
interface PromotedOverlay {
  /** Undefined without one. */
  readonly file: string | undefined;
  /** The contract with the overlay. */
  readonly contract: Contract;
  /** What it changes in the document. */
  readonly drift: readonly string[];
}

/** A change can show what else a document does not allow. */
const MAX_ROUNDS = 8;

/** Writes an overlay with what recordings show and the contract does not say: schemas that differ, and hints about collections and errors. */
export async function writeOverlay(
  cassette: Cassette,
  original: Contract,
  flags: PromoteFlags & { readonly spec: string },
): Promise<PromotedOverlay> {
  const { spec, into } = flags;
  const file = join(into, '..', `${cassette.name}-hints.overlay.json`);
  const load = (actions: readonly object[]): Promise<Contract> => {
    const info = { title: `Learned from the cassette "${cassette.name}"`, version: '1.0.0' };
    writeOutputFile(file, `${JSON.stringify({ overlay: '1.0.0', info, actions }, null, 2)}\n`);
    return loadDocument({ spec, overlay: [file] });
  };
  const changes = new Map<string, DocumentChange>();
  const listActions = (): readonly object[] => [...changes.values()].flatMap(({ actions }) => actions);
  let contract = original;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const check = createResponseCheck(createValidators(contract));
    const found = findDocumentChanges(cassette, { contract, check });
    const before = changes.size;
    for (const change of found) changes.set(JSON.stringify(change.actions), change);
    if (changes.size === before) break;
    rejectOverwriting(round === 0 ? [file] : [], flags);
    contract = await load(listActions());
  }
  const hints = toHints(cassette, contract);
  if (hints !== undefined) {
    rejectOverwriting(changes.size === 0 ? [file] : [], flags);
    contract = await load([...listActions(), { target: '$', update: { 'x-mock': hints } }]);
  }
  const isWritten = changes.size > 0 || hints !== undefined;
  return { file: isWritten ? file : undefined, contract, drift: [...changes.values()].map(({ message }) => message) };
}

/** The hints that a recording shows; undefined without any. */
function toHints(cassette: Cassette, contract: Contract): object | undefined {
  const learned = learnHints(cassette, inferResources(contract));
  const collections = Object.fromEntries([...learned].filter(([, hints]) => Object.keys(hints).length > 0));
  const errors = learnRefusals(cassette, (exchange) => {
    const operation = contract.operation(exchange.operation);
    return operation !== undefined && listMissingCredentials(exchange, operation, contract).length > 0;
  });
  const hints = {
    ...(Object.keys(collections).length > 0 && { collections }),
    ...(Object.keys(errors).length > 0 && { errors }),
  };
  return Object.keys(hints).length === 0 ? undefined : hints;
}

/** Refuses to overwrite files. @throws MockError `OPTION_INVALID`. */
export function rejectOverwriting(files: readonly string[], { force }: PromoteFlags): void {
  const taken = force === true ? undefined : files.find((file) => existsSync(file));
  if (taken === undefined) return;
  const hint = 'choose another folder with --into, or overwrite it with --force';
  throw new MockError('OPTION_INVALID', `the file ${taken} already exists`, { at: { file: taken }, hint });
}
