import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract } from '../../../contract/contract.js';
import { MockError } from '../../../base/errors.js';
import { toDoubles } from '../../../base/exact-json.js';
import { readCall } from '../../../features/recording/matching/exchange-index.js';
import type { Cassette, StoredExchange } from '../../../features/recording/cassette/cassette.js';
import { createResponseCheck } from '../../../http/response/response-check.js';
import { findDocumentChanges } from '../../../features/recording/promote/document-drift.js';
import { type DocumentChange, toTarget } from '../../../features/recording/promote/overlay-target.js';
import type { JudgedCassette } from '../../../features/recording/promote/failure.js';
import { findContents } from '../../../features/recording/promote/contents.js';
import { learnHints } from '../../../features/recording/promote/learn.js';
import { learnErrors } from '../../../features/recording/promote/learn-errors.js';
import {
  findMethodChanges,
  type MethodCassette,
  readMethods,
  toPlainCassette,
} from '../../../features/recording/promote/methods.js';
import { findRequiredMembers } from '../../../features/recording/promote/request-schemas.js';
import type { RerunDifference } from '../../../features/recording/promote/rerun.js';
import { inferResources } from '../../../resources/infer/infer.js';
import { createValidators } from '../../../schema/validate.js';
import { loadDocument } from '../../document.js';
import { writeOutputFile } from '../../output.js';
import { createParts } from './parts.js';
import type { PromoteFlags } from './promote-report.js';

/** The overlay of a promoted recording. */
interface PromotedOverlay extends MethodCassette {
  /** Undefined without one. */
  readonly file: string | undefined;
  /** The contract with the overlay. */
  readonly contract: Contract;
  /** What it changes in the document. */
  readonly drift: readonly string[];
  /** The overlay with the errors that differ, if there are any. */
  addErrors(differences: readonly RerunDifference[]): Promise<PromotedOverlay>;
}

/** A change can show what else a document does not allow. */
const MAX_ROUNDS = 8;

/** Writes an overlay with what recordings show and the contract does not say: schemas that differ, and hints about collections and errors. */
export async function writeOverlay(
  recorded: Cassette,
  original: Contract,
  flags: PromoteFlags & { readonly spec: string },
): Promise<PromotedOverlay> {
  const { spec, into } = flags;
  const file = join(into, '..', `${recorded.name}-hints.overlay.json`);
  let isWritten = false;
  const load = (actions: readonly object[]): Promise<Contract> => {
    if (!isWritten) rejectOverwriting([file], flags);
    isWritten = true;
    const info = { title: `Learned from the cassette "${recorded.name}"`, version: '1.0.0' };
    writeOutputFile(file, `${JSON.stringify({ overlay: '1.0.0', info, actions }, null, 2)}\n`);
    return loadDocument({ spec, overlay: [file] });
  };
  const changes = new Map<string, DocumentChange>();
  const listActions = (): readonly object[] => [...changes.values()].flatMap(({ actions }) => actions);
  let contract = original;
  const resources = inferResources(original);
  /** Adds changes to the overlay. @returns whether one of them is new. */
  const add = async (found: readonly DocumentChange[]): Promise<boolean> => {
    const before = changes.size;
    for (const change of found) changes.set(JSON.stringify(change.actions), change);
    if (changes.size === before) return false;
    contract = await load(listActions());
    return true;
  };
  await add(findMethodChanges(recorded, original, (operation) => resources.bindings.has(operation)));
  const methods = readMethods(recorded, contract);
  const { cassette } = methods;
  await add(findRequiredMembers(cassette, { contract, bodyOf: createBodyReader(contract) }));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const check = createResponseCheck(createValidators(contract));
    if (!(await add(findDocumentChanges(cassette, { contract, check })))) break;
  }
  const hints = listHintActions(methods, contract);
  const actions = [...listActions(), ...hints];
  if (hints.length > 0) contract = await load(actions);
  const overlay = {
    ...methods,
    file: actions.length > 0 ? file : undefined,
    contract,
    drift: [...changes.values()].map(({ message }) => message),
    addErrors: async (differences: readonly RerunDifference[]): Promise<PromotedOverlay> => {
      const errors = listErrorActions(cassette, contract, differences);
      if (errors.length === 0) return overlay;
      return { ...overlay, file, contract: await load([...actions, ...errors]) };
    },
  };
  return overlay;
}

/** The actions that add the templates of errors which a recording shows. */
function listErrorActions(
  cassette: JudgedCassette,
  contract: Contract,
  differences: readonly RerunDifference[],
): readonly object[] {
  const { bindings } = inferResources(contract);
  const operations = contract.operations.map(({ id, path }) => ({
    id,
    path,
    collection: bindings.get(id)?.collection,
  }));
  const { document, operations: own } = learnErrors(cassette, differences, operations);
  const ofOperations = [...own].flatMap(([id, errors]) => {
    const { pointer, extensions } = contract.operation(id) ?? {};
    const target = pointer === undefined ? undefined : toTarget(contract, pointer);
    return target === undefined || extensions?.['x-mock'] === false
      ? []
      : [{ target, update: { 'x-mock': { errors } } }];
  });
  return [...toActions('errors', document), ...ofOperations];
}

/** The actions that add the hints which a recording shows. */
function listHintActions(methods: MethodCassette, contract: Contract): readonly object[] {
  const resources = inferResources(contract);
  const learned = learnHints(
    toPlainCassette(methods, contract, { ...resources, bodyOf: createBodyReader(contract) }),
    resources,
  );
  const collections = Object.fromEntries([...learned].filter(([, hints]) => Object.keys(hints).length > 0));
  const ofContents = [...findContents(methods.cassette, contract, resources.bindings)].flatMap(([id, collection]) => {
    const target = toTarget(contract, contract.operation(id)?.pointer ?? '');
    return target === undefined ? [] : [{ target, update: { 'x-mock': { collection, action: 'content' } } }];
  });
  return [...toActions('collections', collections), ...ofContents];
}

/** The action that adds hints to the document; none without hints. */
function toActions(name: 'collections' | 'errors', hints: object): readonly object[] {
  return Object.keys(hints).length === 0 ? [] : [{ target: '$', update: { 'x-mock': { [name]: hints } } }];
}

/** Creates the reader of the values of the bodies of requests: JSON, and forms as the document declares them. */
export function createBodyReader(contract: Contract): (exchange: StoredExchange) => unknown {
  const parts = createParts(contract);
  return ({ request }) => toDoubles(request.body) ?? readCall(request, parts)?.body;
}

/** Refuses to overwrite files. @throws MockError `OPTION_INVALID`. */
export function rejectOverwriting(files: readonly string[], { force }: PromoteFlags): void {
  const taken = force === true ? undefined : files.find((file) => existsSync(file));
  if (taken === undefined) return;
  const hint = 'choose another folder with --into, or overwrite it with --force';
  throw new MockError('OPTION_INVALID', `the file ${taken} already exists`, { at: { file: taken }, hint });
}
