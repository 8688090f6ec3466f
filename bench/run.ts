// `npm run bench -- [part...]`: measures the parts that are named, else all of them, and prints a table for each.
import { parseArgs } from 'node:util';
import type { Plan } from './cells.js';
import { measureChecks } from './check.js';
import { checkOut } from './compare.js';
import { measureFirstCalls } from './first-calls.js';
import { measureImports } from './imports.js';
import { measureInProcess } from './in-process.js';
import { measurePlain, measureRealDocuments } from './plain.js';
import { measureRecording } from './record.js';
import { measureProfile } from './profile.js';
import { measureReplay } from './replay.js';
import { measureReplicas } from './replicas.js';
import { measureScaling } from './scaling.js';
import { measureBodies, measureConnections, measureMemory } from './sizes.js';
import { measureStartUp } from './start-up.js';
import { measureStore } from './store.js';
import { formatTable, type Table } from './table.js';
import { measureBuiltIn } from './throughput.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '9' },
    'warm-up': { type: 'string', default: '5' },
    requests: { type: 'string', default: '1500' },
    connections: { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
    // Another commit, or a folder with a built checkout, that the built-in contract and replicas are measured with as well.
    compare: { type: 'string' },
    against: { type: 'string' },
  },
});

const plan: Plan = {
  rounds: Number(values.rounds),
  warmUp: Number(values['warm-up']),
  requests: Number(values.requests),
  connections: Number(values.connections),
};

const PARTS: Readonly<Record<string, () => Promise<Table | readonly Table[]> | Table>> = {
  requests: () => measureBuiltIn(plan, values.against),
  compare: () => withCommit(values.compare ?? 'HEAD', (folder) => measureBuiltIn(plan, folder)),
  plain: () => measurePlain(plan),
  documents: () => measureRealDocuments(plan),
  replay: () => measureReplay(plan),
  record: () => measureRecording(plan),
  scaling: () => measureScaling(plan),
  connections: () => measureConnections(plan),
  bodies: () => measureBodies(plan),
  check: () => measureChecks(),
  'start-up': () => measureStartUp(),
  'first-calls': () => measureFirstCalls(),
  import: () => measureImports(),
  'in-process': () => measureInProcess(),
  profile: () => measureProfile(plan),
  store: () => measureStore(),
  replicas: () => withCommit(values.compare, (folder) => measureReplicas(plan, folder ?? values.against)),
  memory: () => measureMemory(),
};

// A comparison has to be asked for.
const EVERY = Object.keys(PARTS).filter((name) => name !== 'compare');

const chosen = positionals.length > 0 ? positionals : values.compare === undefined ? EVERY : ['compare'];
const unknown = chosen.find((name) => PARTS[name] === undefined);
if (unknown !== undefined) {
  console.error(`no part "${unknown}"; the parts are ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}

const tables: Record<string, readonly Table[]> = {};
for (const name of chosen) {
  const measured = await PARTS[name]?.();
  const list = measured === undefined ? [] : [measured].flat();
  tables[name] = list;
  if (!values.json) for (const table of list) console.log(formatTable(table));
}
if (values.json) console.log(JSON.stringify({ plan, tables }, undefined, 2));

/** Measures together with a built checkout of another commit. */
async function withCommit(
  ref: string | undefined,
  measure: (folder: string | undefined) => Promise<Table>,
): Promise<Table> {
  if (ref === undefined) return measure(undefined);
  const { folder, remove } = checkOut(ref);
  try {
    return await measure(folder);
  } finally {
    remove();
  }
}
