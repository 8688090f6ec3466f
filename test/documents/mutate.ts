import fc from 'fast-check';

/** One change to a document at a node that is chosen by number. */
export interface Mutation {
  readonly kind: 'delete' | 'duplicate' | 'replace' | 'rename' | 'move';
  readonly at: number;
  readonly other: number;
  readonly value: unknown;
  readonly name: string;
}

/** Values that stand where others are meant: of every type, and such as people and programs do write by mistake. */
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  '',
  'string',
  '{}',
  '[unclosed',
  'true',
  '2026-01-01',
  '#/components/schemas/Missing',
  [],
  [null],
  ['a', 1],
  {},
  { $ref: '#' },
  { $ref: '#/paths' },
  { $ref: './missing.yaml' },
  { $ref: 7 },
  { type: 'object' },
  { type: ['string', 'null'], nullable: true },
  { allOf: [{ type: 'string' }, { type: 'integer' }] },
  { const: undefined },
];

const NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  '',
  '$ref',
  'x-',
  'a/b~c',
  '{',
  '{}',
  '200',
  'default',
  'get',
  'type',
  'items',
  'required',
  'properties',
  'content',
  'schema',
];

/** Between one and five changes. */
export const MUTATIONS: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('delete', 'duplicate', 'replace', 'replace', 'replace', 'rename', 'move'),
    at: fc.nat(),
    other: fc.nat(),
    value: fc.constantFrom(...VALUES),
    name: fc.constantFrom(...NAMES),
  }),
  { minLength: 1, maxLength: 5 },
);

/** A copy of a document with all the changes made, one after the other. */
export function mutate(document: unknown, mutations: readonly Mutation[]): unknown {
  const copy: unknown = structuredClone(document);
  for (const mutation of mutations) applyMutation(copy, mutation);
  return copy;
}

type Container = Record<string, unknown> | unknown[];

interface Site {
  readonly owner: Container;
  readonly key: string;
}

function applyMutation(root: unknown, { kind, at, other, value, name }: Mutation): void {
  const sites = listSites(root);
  const site = sites[at % Math.max(1, sites.length)];
  const source = sites[other % Math.max(1, sites.length)];
  if (site === undefined || source === undefined) return;
  const { owner, key } = site;
  const old = read(site);
  if (kind === 'replace') write(owner, key, structuredClone(value));
  else if (kind === 'move') write(owner, key, structuredClone(read(source)));
  else if (Array.isArray(owner))
    owner.splice(Number(key), kind === 'duplicate' ? 0 : 1, ...(kind === 'delete' ? [] : [old]));
  else {
    if (kind !== 'duplicate') Reflect.deleteProperty(owner, key);
    if (kind !== 'delete') write(owner, name, structuredClone(old));
  }
}

/** Every member of every object and list, outermost first. */
function listSites(root: unknown): readonly Site[] {
  const sites: Site[] = [];
  const waiting: unknown[] = [root];
  for (let i = 0; i < waiting.length; i++) {
    const node = waiting[i];
    if (typeof node !== 'object' || node === null) continue;
    for (const [key, inner] of Object.entries(node)) {
      sites.push({ owner: node as Container, key });
      waiting.push(inner);
    }
  }
  return sites;
}

function read({ owner, key }: Site): unknown {
  return Object.getOwnPropertyDescriptor(owner, key)?.value;
}

/** `__proto__` is a name like any other: that is what is tried. */
function write(owner: Container, key: string, value: unknown): void {
  Object.defineProperty(owner, key, { value, enumerable: true, writable: true, configurable: true });
}
