import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../../src/contract/contract.js';
import { isObject, type SchemaObject } from '../../src/contract/json.js';
import type { MediaType, Operation } from '../../src/contract/operations/operation.js';
import { readPointer, readSegments, toPointer } from '../../src/contract/pointer.js';
import type { Generator } from '../../src/generate/generate.js';
import type { Validators } from '../../src/schema/validate.js';

/** What bodies are built with. */
export interface BodyTools {
  readonly contract: Contract;
  readonly generator: Generator;
  readonly validators: Validators;
}

/** The body to build. */
export interface BodyOrder {
  readonly operation: Operation;
  /** The pointer in the body below which the fields are. */
  readonly at: string;
  /** Dotted fields with exactly these values. */
  readonly fixed: Readonly<Record<string, unknown>>;
  /** Dotted fields that get a new value. */
  readonly vary: readonly string[];
  /** The values that fields have now, which a new value differs from. */
  readonly previous: ReadonlyMap<string, unknown>;
  readonly ordinal: number;
  readonly media?: string | undefined;
  /** The body that says what the fields are, where the operation takes any object. */
  readonly model?: { readonly operation: Operation; readonly at: string };
}

export interface Body {
  readonly media: MediaType;
  readonly value: unknown;
  /** The value of each field of `fixed` and `vary` that the body has. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The fields of `vary` that are declared but for which no value is valid. */
  readonly unsent: readonly string[];
}

interface Part {
  readonly schema: SchemaObject;
  readonly pointer: string;
  readonly inUnion: boolean;
}

const NOW = Date.UTC(2026, 0, 1);

/** A body with what the schema requires and the ordered fields; undefined where the operation takes none. */
export function buildBody(tools: BodyTools, order: BodyOrder): Body | undefined {
  const media = pickMedia(order.operation, order.media);
  if (media === undefined) return undefined;
  if (media.schema === undefined) return { media, value: toObject(order), values: new Map(), unsent: [] };
  const check = tools.validators.check(media.schemaPointer, 'request');
  const isValid = (value: unknown): boolean => check(value, 'body').every(({ severity }) => severity !== 'error');
  const context = {
    seed: order.ordinal,
    key: `manifest ${order.operation.id} ${order.ordinal}`,
    direction: 'request' as const,
    now: NOW,
  };
  const above = readSegments(order.at);
  const kept = findDiscriminators(tools.contract, media.schemaPointer, above).filter((name) =>
    order.previous.has(name),
  );
  const fixed = { ...Object.fromEntries(kept.map((name) => [name, order.previous.get(name)])), ...order.fixed };
  const toPath = (field: string): readonly string[] => [...above, ...field.split('.')];
  let value =
    Object.keys(fixed).length === 0
      ? tools.generator.value(media.schemaPointer, context)
      : tools.generator.complete(
          media.schemaPointer,
          Object.entries(fixed).reduce<unknown>((all, [field, each]) => setAt(all, toPath(field), each), {}),
          { ...context, full: true },
        );
  const paths: (readonly string[])[] = Object.keys(fixed).map(toPath);
  const isChecked = isValid(value);
  const unsent: string[] = [];
  for (const [index, field] of order.vary.entries()) {
    if (field in fixed) continue;
    const path = toPath(field);
    const own = findParts(tools.contract, media.schemaPointer, path, value);
    const parts = own.length > 0 || !isOpen(tools.contract, media) ? own : findModelParts(tools.contract, order, field);
    if (parts.length === 0) continue;
    const previous = order.previous.get(field);
    const request = { ...context, key: `${context.key} ${field}`, seed: order.ordinal * 40 + index, previous };
    const proposals = propose(tools, parts, request);
    const isNew = (each: unknown): boolean => !isDeepStrictEqual(each, previous);
    // The second attempt leaves out what is not asked for: `oneOf` may forbid it beside the field.
    const valid =
      proposals
        .filter(isNew)
        .map((each) => setAt(value, path, each))
        .find((each) => !isChecked || isValid(each)) ??
      proposals
        .toSorted((a, b) => Number(isNew(b)) - Number(isNew(a)))
        .map((each) => setAt(pick(value, paths), path, each))
        .map((each) => tools.generator.complete(media.schemaPointer, each, context))
        .find((each) => isValid(each) && readPointer(each, toPointer(...path)) !== undefined);
    if (valid === undefined) {
      unsent.push(field);
      continue;
    }
    value = valid;
    paths.push(path);
  }
  if (isChecked) value = prune(value, paths, isValid);
  const fields = new Set([...Object.keys(fixed), ...order.vary]);
  const values = [...fields].map((field) => [field, readPointer(value, toPointer(...toPath(field)))] as const);
  return { media, value, values: new Map(values.filter(([, each]) => each !== undefined)), unsent };
}

/** Whether a body is declared as any object, as a merge patch may be. */
export function isOpen(contract: Contract, { schemaPointer }: MediaType): boolean {
  const root = findParts(contract, schemaPointer, []);
  return root.every(({ schema }) => schema.properties === undefined && schema.type === 'object');
}

function findModelParts(contract: Contract, { model }: BodyOrder, field: string): readonly Part[] {
  const media = model && pickMedia(model.operation, undefined);
  if (media === undefined) return [];
  return findParts(contract, media.schemaPointer, [...readSegments(model?.at ?? ''), ...field.split('.')]);
}

function toObject({ at, fixed }: BodyOrder): unknown {
  const above = readSegments(at);
  return Object.entries(fixed).reduce<unknown>(
    (all, [field, value]) => setAt(all, [...above, ...field.split('.')], value),
    {},
  );
}

function pickMedia(operation: Operation, wanted: string | undefined): MediaType | undefined {
  const content = operation.body?.content ?? [];
  if (wanted !== undefined) return content.find(({ type }) => type === wanted);
  return (
    content.find(({ type }) => /[/+]json\b/.test(type)) ??
    content.find(({ type }) => /urlencoded|multipart/.test(type)) ??
    content[0]
  );
}

/** The schemas of the value at a path, of each branch of a union that fits the present value. */
export function findParts(
  contract: Contract,
  pointer: string,
  path: readonly string[],
  value?: unknown,
): readonly Part[] {
  return path.reduce<readonly Part[]>(
    (parts, name, depth) => {
      const inner = readPointer(value, toPointer(...path.slice(0, depth + 1)));
      const declared = parts.filter(({ schema }) => Object.hasOwn(schema.properties ?? {}, name));
      if (declared.length === 0) {
        const maps = parts.filter(({ schema }) => isObject(schema.additionalProperties));
        return maps.flatMap((each) =>
          flatten(contract, `${each.pointer}/additionalProperties`, inner, { ...ROOT, inUnion: each.inUnion }),
        );
      }
      return declared.flatMap((each) =>
        flatten(contract, `${each.pointer}/properties${toPointer(name)}`, inner, { ...ROOT, inUnion: each.inUnion }),
      );
    },
    flatten(contract, pointer, value, ROOT),
  );
}

interface Nesting {
  readonly inUnion: boolean;
  readonly depth: number;
}

const ROOT: Nesting = { inUnion: false, depth: 0 };

/** A schema with the parts of its `allOf`, and the branches of its unions that fit a value. */
function flatten(contract: Contract, pointer: string, value: unknown, { inUnion, depth }: Nesting): readonly Part[] {
  const start = contract.at(pointer);
  if (!isObject(start) || depth > 8) return [];
  const { schema, pointer: target } = contract.resolve(start, pointer);
  if (!isObject(schema)) return [];
  const part = { schema, pointer: target, inUnion };
  const parts = (schema.allOf ?? []).flatMap((_, i) =>
    flatten(contract, `${target}/allOf/${i}`, value, { inUnion, depth: depth + 1 }),
  );
  const branches = (['anyOf', 'oneOf'] as const).flatMap((keyword) =>
    (schema[keyword] ?? []).flatMap((_, i) => {
      const branch = flatten(contract, `${target}/${keyword}/${i}`, value, { inUnion: true, depth: depth + 1 });
      return branch.every((each) => fits(contract, each, value)) ? branch : [];
    }),
  );
  return [part, ...parts, ...branches];
}

/** Whether the constants of a schema equal those of a value. */
function fits(contract: Contract, { schema, pointer }: Part, value: unknown): boolean {
  if (!isObject(value)) return true;
  return Object.entries(schema.properties ?? {}).every(([name, each]) => {
    if (value[name] === undefined) return true;
    const inner = contract.resolve(each, `${pointer}/properties${toPointer(name)}`).schema;
    if (!isObject(inner)) return true;
    if (inner.const !== undefined) return inner.const === value[name];
    return inner.enum === undefined || inner.enum.includes(value[name]);
  });
}

/** The properties whose constants tell the branches of a union apart. */
function findDiscriminators(contract: Contract, pointer: string, path: readonly string[]): readonly string[] {
  const parts = findParts(contract, pointer, path).filter(({ inUnion }) => inUnion);
  return parts.flatMap(({ schema, pointer: at }) =>
    Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
      const inner = contract.resolve(each, `${at}/properties${toPointer(name)}`).schema;
      return isObject(inner) && (inner.const !== undefined || inner.enum !== undefined) ? [name] : [];
    }),
  );
}

interface ValueRequest {
  readonly seed: number;
  readonly key: string;
  readonly direction: 'request';
  readonly now: number;
  readonly previous?: unknown;
}

/** Values that a schema may accept, the most distinctive first. */
function propose(tools: BodyTools, parts: readonly Part[], request: ValueRequest): readonly unknown[] {
  const { seed, previous } = request;
  const find = <K extends keyof SchemaObject>(keyword: K): SchemaObject[K] | undefined =>
    parts.find(({ schema }) => schema[keyword] !== undefined)?.schema[keyword];
  const constant = find('const');
  if (constant !== undefined) return [constant];
  const original = find('default');
  const values = find('enum')?.filter((each) => each !== null && each !== '');
  if (values !== undefined && values.length > 0)
    return values.toSorted((a, b) => Number(a === original) - Number(b === original));
  const types = [find('type') ?? []].flat();
  if (types.includes('boolean')) return [(previous ?? original) !== true, (previous ?? original) === true];
  const plain = types.includes('string') ? proposeTexts(find('format'), seed) : [];
  const generated = [0, 1, 2, 3, 4].map((i) =>
    // The pointer of the first part is that of the property itself.
    tools.generator.value(parts[0]?.pointer ?? '', { ...request, key: `${request.key} ${parts[0]?.pointer} ${i}` }),
  );
  const numbers = types.some((each) => each === 'integer' || each === 'number') ? proposeNumbers(find, seed) : [];
  const list = parts.find(({ schema }) => schema.items !== undefined);
  const items = list === undefined ? [] : flatten(tools.contract, `${list.pointer}/items`, undefined, ROOT);
  const lists =
    items.length === 0 ? [] : propose(tools, items, { ...request, previous: undefined }).map((each) => [each]);
  const isMap = types.includes('object') && parts.every(({ schema }) => schema.properties === undefined);
  const maps = isMap ? [{ vouch: `vouch-${seed}` }, { vouch: seed }] : [];
  return [...plain, ...numbers, ...maps, ...lists, ...generated.filter((each) => !isEmpty(each))];
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
}

function proposeTexts(format: string | undefined, n: number): readonly string[] {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `20${two(31 + (n % 60))}-${two(1 + (n % 12))}-${two(1 + (n % 28))}`;
  const byFormat: Readonly<Record<string, string>> = {
    date: day,
    'date-time': `${day}T10:00:00Z`,
    uri: `https://vouch.test/${n}`,
    url: `https://vouch.test/${n}`,
    email: `vouch-${n}@vouch.test`,
    hostname: `vouch-${n}.test`,
    ipv4: `10.1.${Math.floor(n / 250)}.${1 + (n % 250)}`,
    uuid: `6f9619ff-8b86-4011-b42d-${String(n).padStart(12, '0')}`,
  };
  const own = format === undefined ? undefined : byFormat[format];
  return [...(own === undefined ? [] : [own]), `vouch-${n}`, `vouch${n}`, `vouch-${n}.test`, `V${n}`];
}

function proposeNumbers(
  find: <K extends keyof SchemaObject>(keyword: K) => SchemaObject[K] | undefined,
  n: number,
): readonly number[] {
  const step = find('multipleOf') ?? 1;
  const low = find('minimum') ?? (find('exclusiveMinimum') ?? 0) + 1;
  const high = find('maximum') ?? low + 900;
  const first = Math.ceil(low / step) * step;
  const count = Math.max(1, Math.floor((high - first) / step) + 1);
  return [0, 1, 2].map((i) => first + ((n * 3 + i) % count) * step);
}

/** A copy with nothing but the values at the paths. */
function pick(value: unknown, paths: readonly (readonly string[])[]): unknown {
  return paths.reduce<unknown>((all, path) => {
    const inner = readPointer(value, toPointer(...path));
    return inner === undefined ? all : setAt(all, path, inner);
  }, {});
}

/** A copy with a value at a path; missing objects are created. */
export function setAt(value: unknown, path: readonly string[], inner: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return inner;
  if (/^\d+$/.test(name) && (value === undefined || Array.isArray(value))) {
    const elements: readonly unknown[] = value ?? [];
    return elements.toSpliced(Number(name), 1, setAt(elements[Number(name)], rest, inner));
  }
  const all = isObject(value) ? value : {};
  return { ...all, [name]: setAt(all[name], rest, inner) };
}

/** A copy without each property that is neither required nor on one of the paths. */
function prune(
  value: unknown,
  paths: readonly (readonly string[])[],
  isValid: (value: unknown) => boolean,
  at: readonly string[] = [],
): unknown {
  const here = at.length === 0 ? value : readPointer(value, toPointer(...at));
  if (!isObject(here) || at.length > 5) return value;
  let result = value;
  for (const name of Object.keys(here)) {
    const path = [...at, name];
    const starts = (a: readonly string[], b: readonly string[]): boolean => a.every((each, i) => b[i] === each);
    if (paths.some((each) => starts(each, path))) continue;
    if (paths.some((each) => starts(path, each))) {
      result = prune(result, paths, isValid, path);
      continue;
    }
    const { [name]: _, ...others } =
      here === value ? (result as typeof here) : (readPointer(result, toPointer(...at)) as typeof here);
    const without = setAt(result, at, others);
    result = isValid(without) ? without : prune(result, paths, isValid, path);
  }
  return result;
}
