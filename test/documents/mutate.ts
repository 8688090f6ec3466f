import fc from 'fast-check';

/** One change to a document at a node that is chosen by number. */
export interface Mutation {
  /** `schema` replaces a schema. */
  readonly kind: 'delete' | 'duplicate' | 'replace' | 'rename' | 'move' | 'schema';
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

/** Values that are costly, contradictory or extreme where a program reads them without a check. */
const HOSTILE_VALUES: readonly unknown[] = [
  1e9,
  -1e9,
  1e-320,
  2 ** 53,
  2_147_483_648,
  '\0',
  '\r\nX-A: 1',
  '\ud800',
  '\u2028\u202e\ufeff',
  '日本語 💥',
  'x'.repeat(20_000),
  '^(a+)+$',
  '^(a|a)*$',
  '(?=.*a)(?!.*b)^.{8,}$',
  '[',
  '(?<n>a)\\k<n>',
  '^(\\w+\\s?)*$',
  '^.{1000}$',
  '/{a}/{a}',
  '/{a}{b}',
  '/{',
  '//',
  '/{a',
  '/a?b=c#d',
  'no-slash',
  'a/b; c="',
  '*/*',
  'text/event-stream',
  'X Rate Limit',
  'Content-Length',
  'Set-Cookie',
  'http://[::1',
  '#/components/schemas/%zz',
  '#/a~2b',
  { $ref: '#/components' },
  { $ref: '#/components/schemas/\0' },
  { $ref: '#/paths/~1/get', $dynamicRef: '#x', $recursiveRef: '#' },
  { allOf: [{ $ref: '#/components/schemas/Loop' }, { $ref: '#/components/schemas/Loop' }] },
  { type: 'array', minItems: 1e9, items: {} },
  { type: 'array', minItems: 50, uniqueItems: true, items: { enum: [1, 2] } },
  { type: 'string', minLength: 1e9 },
  { type: 'string', pattern: '^(a+)+$', minLength: 30 },
  { type: 'string', pattern: '[', format: 'regex' },
  { type: 'string', format: 'date-time', example: 7, default: null },
  { type: 'number', multipleOf: 1e-320 },
  { type: 'number', multipleOf: 0, minimum: 1e308, exclusiveMaximum: -1e308 },
  { type: 'integer', minimum: 0.1, maximum: 0.9 },
  { enum: [] },
  { const: { a: [null] }, type: 'string' },
  { not: {} },
  JSON.parse('{"if": true, "then": {"not": {}}, "else": false}'),
  { type: 'object', required: ['__proto__', 'constructor'], properties: { constructor: { type: 'string' } } },
  { type: 'object', minProperties: 1e6 },
  { type: 'object', patternProperties: { '(': {} }, propertyNames: { pattern: '^(a+)+$' } },
  { type: 'object', additionalProperties: { $ref: '#' }, minProperties: 3 },
  { oneOf: [{}, {}], discriminator: { propertyName: '__proto__', mapping: { a: '#/x' } } },
  { 'x-faker': 'string.alpha', 'x-mock': 7 },
  { 'x-faker': { 'string.alpha': 100_000 } },
  { 'x-faker': 'constructor.constructor' },
  { 'text/plain': { example: { a: 1 }, schema: { type: 'integer' } } },
  { 'X-A': { schema: { type: 'string', enum: ['\r\n', '\0', '日本'] } } },
  { 'X Bad Name': { schema: { type: 'integer' } }, '': {}, 'X-A:': { example: 1 } },
];

const HOSTILE_NAMES: readonly string[] = [
  '\0',
  '\r\nX-A: 1',
  '\ud800',
  '日本語',
  'x'.repeat(20_000),
  'X Rate Limit',
  'X-A:',
  'content-length',
  'transfer-encoding',
  'set-cookie',
  '/{a}/{b}/{a}',
  '/{a}{b}.{c}',
  '/{a',
  '/a?b#c',
  '//',
  '1XX',
  '999',
  '2XX',
  '100',
  'trace',
  'connect',
  '*/*',
  'a/b',
  'text/event-stream',
  'application/json; charset=x',
  'pattern',
  'format',
  'enum',
  'allOf',
  'oneOf',
  'not',
  'minLength',
  'minItems',
  'multipleOf',
  'example',
  'examples',
  'default',
  'additionalProperties',
  'patternProperties',
  'discriminator',
  'x-mock',
  'x-faker',
  'operationId',
  'parameters',
  'headers',
  'links',
  'servers',
  'security',
];

/** As `MUTATIONS`, also with values and names that are hostile. */
export const HOSTILE_MUTATIONS: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'delete',
      'duplicate',
      'replace',
      'replace',
      'replace',
      'replace',
      'rename',
      'rename',
      'move',
    ),
    at: fc.nat(),
    other: fc.nat(),
    value: fc.oneof(fc.constantFrom(...VALUES), fc.constantFrom(...HOSTILE_VALUES), fc.constantFrom(...HOSTILE_VALUES)),
    name: fc.oneof(fc.constantFrom(...NAMES), fc.constantFrom(...HOSTILE_NAMES)),
  }),
  { minLength: 1, maxLength: 8 },
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
  const sites = listSites(root).filter(({ owner, key }) => kind !== 'schema' || isSchemaAt(owner, key));
  const site = sites[at % Math.max(1, sites.length)];
  const source = sites[other % Math.max(1, sites.length)];
  if (site === undefined || source === undefined) return;
  const { owner, key } = site;
  const old = read(site);
  if (kind === 'replace' || kind === 'schema') write(owner, key, structuredClone(value));
  else if (kind === 'move') write(owner, key, structuredClone(read(source)));
  else if (Array.isArray(owner))
    owner.splice(Number(key), kind === 'duplicate' ? 0 : 1, ...(kind === 'delete' ? [] : [old]));
  else {
    if (kind !== 'duplicate') Reflect.deleteProperty(owner, key);
    if (kind !== 'delete') write(owner, name, structuredClone(old));
  }
}

/** Where a schema is, in most documents. */
function isSchemaAt(owner: Container, key: string): boolean {
  return /^(schema|items|additionalProperties)$/.test(key) || typeof Reflect.get(owner, 'type') === 'string';
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
