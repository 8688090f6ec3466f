import fc from 'fast-check';
import type { Contract } from '../../src/contract/contract.js';
import { findResponse } from '../../src/contract/operations/responses.js';
import type { Operation } from '../../src/contract/operations/operation.js';
import { loadContract } from '../../src/contract/load/load.js';
import { createGenerator } from '../../src/generate/generate.js';
import type { Random } from '../../src/base/random.js';
import { createValidators } from '../../src/schema/validate.js';
import { mutate, MUTATIONS } from '../documents/mutate.js';
import { breakRequest } from '../../src/tools/verify/mistakes.js';
import { draftRequest, type RequestDraft, toRequest } from '../../src/features/inspector/sample-request.js';
import { PLAIN, toUtf8, toWire, type Wire } from './wire.js';

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
  const read = createWireReader(contract);
  const mutations = fc.sample(MUTATIONS, { seed: 1, numRuns: 500 });
  return {
    draw: async (random) => {
      const wires = await read(random.pick(contract.operations));
      const wire = random.next() < 0.5 ? wires[0] : random.pick(wires);
      if (wire === undefined) throw new Error('an operation has a request');
      const { lastId, json } = wire;
      const named = ids.length > 0 && lastId !== '' && random.next() < 0.5 ? random.pick(ids) : lastId;
      const target = named === lastId ? wire.target : replaceLast(wire.target, lastId, named);
      const isMutated = json !== undefined && random.next() < 0.3;
      const body = isMutated ? toUtf8(JSON.stringify(mutate(json, random.pick(mutations))) ?? '') : wire.body;
      return { ...wire, target, body };
    },
    learn: (text) => {
      for (const [, id = ''] of text.matchAll(/"id": ?"([\w:.-]{1,60})"/g)) {
        ids.push(id);
        if (ids.length > KEPT_IDS) ids.shift();
      }
    },
  };
}

/** A request with what is varied in it. */
interface DraftWire extends Wire {
  /** The last parameter of the path, as it is written in the target, or an empty string. */
  readonly lastId: string;
  /** The body, if it is JSON. */
  readonly json: unknown;
}

/** The valid request of an operation, then those with a mistake; made at its first use, because the platform writes them slowly. */
function createWireReader(contract: Contract): (operation: Operation) => Promise<readonly DraftWire[]> {
  const generator = createGenerator(contract, createValidators(contract));
  const known = new Map<Operation, Promise<readonly DraftWire[]>>();
  const make = async (operation: Operation): Promise<readonly DraftWire[]> => {
    const valid = draftRequest(contract, generator, operation);
    const drafts = [valid, ...breakRequest(contract, valid).map(({ draft }) => draft)];
    const wires: DraftWire[] = [];
    for (const draft of drafts) {
      const wire = await write(draft);
      if (wire !== undefined) wires.push(toDraftWire(wire, draft));
    }
    return wires.length > 0 ? wires : [toDraftWire(toPlain(operation), valid)];
  };
  return (operation) => {
    const found = known.get(operation) ?? make(operation);
    known.set(operation, found);
    return found;
  };
}

function toDraftWire(wire: Wire, { path, body, operation }: RequestDraft): DraftWire {
  const last = Object.values(path).at(-1);
  const isJson = body !== undefined && /[/+]json\b/.test(body.media.type) && wire.body !== '';
  return {
    ...wire,
    allows: toAllows(operation),
    lastId: typeof last === 'string' ? encodeURIComponent(last.toWellFormed()) : '',
    json: isJson ? body.value : undefined,
  };
}

function replaceLast(text: string, old: string, replacement: string): string {
  const at = text.lastIndexOf(old);
  return at < 0 ? text : `${text.slice(0, at)}${replacement}${text.slice(at + old.length)}`;
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

const toPlain = ({ method, path }: Operation): Wire => ({
  ...PLAIN,
  method,
  target: toUtf8(encodeURI(path.toWellFormed())),
  headers: [['Host', 'localhost']],
  isSound: false,
});

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
