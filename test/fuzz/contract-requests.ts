import fc from 'fast-check';
import type { Contract } from '../../src/contract/contract.js';
import { findResponse } from '../../src/contract/operations/responses.js';
import type { Operation } from '../../src/contract/operations/operation.js';
import { loadContract } from '../../src/contract/load/load.js';
import { createGenerator } from '../../src/generate/generate.js';
import type { Random } from '../../src/random.js';
import { createValidators } from '../../src/schema/validate.js';
import { mutate, MUTATIONS } from '../documents/mutate.js';
import { breakRequest } from '../sweep/broken-requests.js';
import { draftRequest, type RequestDraft, toRequest } from '../sweep/minimal-request.js';
import { toUtf8, toWire, type Wire } from './wire.js';

/** Draws requests of the operations of a contract. */
export interface RequestSampler {
  draw(random: Random): Promise<Wire>;
  /** Reads ids from an answer, so that later requests name items that exist. */
  learn(text: string): void;
}

const KEPT_IDS = 200;

/** Draws requests for every operation of a document: valid ones, ones with a simple mistake, and ones with mutated values. */
export async function createSampler(document: object): Promise<RequestSampler> {
  const contract = await loadContract(document);
  const ids: string[] = [];
  const draw = createDraftReader(contract);
  const mutations = fc.sample(MUTATIONS, { seed: 1, numRuns: 500 });
  return {
    draw: async (random) => {
      const drafts = draw(random.pick(contract.operations));
      const valid = drafts[0];
      if (valid === undefined) throw new Error('a document without operations');
      const path = { ...valid.path };
      const last = Object.keys(path).at(-1);
      if (ids.length > 0 && last !== undefined && random.next() < 0.5) path[last] = random.pick(ids);
      const picked = random.next() < 0.5 ? valid : random.pick(drafts);
      const body =
        picked.body !== undefined && random.next() < 0.3
          ? { ...picked.body, value: mutate(picked.body.value, random.pick(mutations)) }
          : picked.body;
      const wire = await write({ ...picked, path: { ...picked.path, ...path }, body });
      return { ...(wire ?? (await write(valid)) ?? toPlain(valid.operation)), allows: toAllows(valid.operation) };
    },
    learn: (text) => {
      for (const [, id = ''] of text.matchAll(/"id": ?"([\w:.-]{1,60})"/g)) {
        ids.push(id);
        if (ids.length > KEPT_IDS) ids.shift();
      }
    },
  };
}

/** The valid draft of an operation, then those with a mistake; made at its first use. */
function createDraftReader(contract: Contract): (operation: Operation) => readonly RequestDraft[] {
  const generator = createGenerator(contract, createValidators(contract));
  const known = new Map<Operation, readonly RequestDraft[]>();
  return (operation) => {
    const found = known.get(operation);
    if (found !== undefined) return found;
    const valid = draftRequest(contract, generator, operation);
    const drafts = [valid, ...breakRequest(contract, valid).map(({ draft }) => draft)];
    known.set(operation, drafts);
    return drafts;
  };
}

/** Undefined if the platform cannot write the request. */
async function write(draft: RequestDraft): Promise<Wire | undefined> {
  try {
    return await toWire(toRequest(draft));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function toPlain({ method, path }: Operation): Wire {
  const headers = [['Host', 'localhost']] as const;
  return {
    method,
    target: toUtf8(encodeURI(path)),
    version: 'HTTP/1.1',
    headers,
    body: '',
    framing: 'length',
    isSound: false,
  };
}

/** The mock may answer what the operation declares; 501 where it declares no response at all. */
function toAllows(operation: Operation): (status: number) => boolean {
  const hasOnlyErrors = operation.responses.every(({ status }) => status.startsWith('5'));
  return (status) => hasOnlyErrors && (findResponse(operation, status) !== undefined || status === 501);
}

/** Operations of the control API that would write files or connect to another server. */
const LEFT_OUT = /recordings/;

/** Draws requests of the control API of a running mock. */
export async function createControlSampler(control: {
  readonly paths: Readonly<Record<string, unknown>>;
}): Promise<RequestSampler> {
  const paths = Object.fromEntries(Object.entries(control.paths).filter(([path]) => !LEFT_OUT.test(path)));
  const sampler = await createSampler({ ...control, paths });
  return {
    ...sampler,
    draw: async (random) => {
      const { allows: _, ...wire } = await sampler.draw(random);
      const target = /\/activate/.test(wire.target) ? withSession(wire.target) : wire.target;
      // A wait takes as long as the client says.
      return { ...wire, target: `/__mock${target}`, isSound: wire.isSound && !/journal\/wait/.test(target) };
    },
  };
}

/** Scenarios delay and break answers: they are activated in a session of their own. */
function withSession(target: string): string {
  const [path = '', query = ''] = target.split('?');
  const rest = query.split('&').filter((pair) => pair !== '' && !pair.startsWith('session='));
  return `${path}?${[...rest, 'session=s1'].join('&')}`;
}
