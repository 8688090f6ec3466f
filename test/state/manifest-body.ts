import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../../src/contract/contract.js';
import { isObject, type SchemaObject } from '../../src/base/json.js';
import type { MediaType, Operation } from '../../src/contract/operations/operation.js';
import { readPointer, readSegments, toPointer } from '../../src/contract/pointer.js';
import type { GenerateContext, Generator } from '../../src/generate/generate.js';
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
  if (media?.schema === undefined) return undefined;
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
  const complete = (given: unknown): unknown => tools.generator.complete(media.schemaPointer, given, context);
  let given = Object.entries(fixed).reduce<unknown>((all, [field, each]) => setAt(all, toPath(field), each), {});
  let value = complete(given);
  const unsent: string[] = [];
  for (const [index, field] of order.vary.entries()) {
    if (field in fixed) continue;
    const path = toPath(field);
    const own = findParts(tools.contract, media.schemaPointer, path);
    const parts = own.length > 0 || !isOpen(tools.contract, media) ? own : findModelParts(tools.contract, order, field);
    if (parts.length === 0) continue;
    const previous = order.previous.get(field);
    const request = { ...context, key: `${context.key} ${field}`, seed: order.ordinal * 40 + index };
    const isNew = (each: unknown): boolean => !isDeepStrictEqual(each, previous);
    const valid = propose(tools, parts, request)
      .toSorted((a, b) => Number(isNew(b)) - Number(isNew(a)))
      .map((each) => setAt(given, path, each))
      .find((each) => {
        const whole = complete(each);
        return isValid(whole) && readPointer(whole, toPointer(...path)) !== undefined;
      });
    if (valid === undefined) {
      unsent.push(field);
      continue;
    }
    given = valid;
    value = complete(given);
  }
  return { media, value, unsent };
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

function pickMedia(operation: Operation, wanted: string | undefined): MediaType | undefined {
  const content = operation.body?.content ?? [];
  if (wanted !== undefined) return content.find(({ type }) => type === wanted);
  return (
    content.find(({ type }) => /[/+]json\b/.test(type)) ??
    content.find(({ type }) => /urlencoded|multipart/.test(type)) ??
    content[0]
  );
}

/** The schemas of the value at a path, in each branch of a union. */
export function findParts(contract: Contract, pointer: string, path: readonly string[]): readonly Part[] {
  return path.reduce<readonly Part[]>(
    (parts, name) => {
      const declared = parts.filter(({ schema }) => Object.hasOwn(schema.properties ?? {}, name));
      const open = declared.length > 0 ? [] : parts.filter(({ schema }) => isObject(schema.additionalProperties));
      return [
        ...declared.flatMap((each) => flatten(contract, `${each.pointer}/properties${toPointer(name)}`, each.inUnion)),
        ...open.flatMap((each) => flatten(contract, `${each.pointer}/additionalProperties`, each.inUnion)),
      ];
    },
    flatten(contract, pointer, false),
  );
}

/** A schema with the parts of its `allOf` and the branches of its unions. */
function flatten(contract: Contract, at: string, inUnion: boolean): readonly Part[] {
  const { schema, pointer } = contract.resolve(contract.at(at) as SchemaObject, at);
  if (!isObject(schema)) return [];
  const inner = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((keyword) =>
    (schema[keyword] ?? []).flatMap((_, i) =>
      flatten(contract, `${pointer}/${keyword}/${i}`, inUnion || keyword !== 'allOf'),
    ),
  );
  return [{ schema, pointer, inUnion }, ...inner];
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

/** Values that a schema may accept, the most distinctive first, and what the server takes by default last. */
function propose({ generator }: BodyTools, parts: readonly Part[], request: GenerateContext): readonly unknown[] {
  const { seed } = request;
  const find = <K extends keyof SchemaObject>(keyword: K): SchemaObject[K] | undefined =>
    parts.find(({ schema }) => schema[keyword] !== undefined)?.schema[keyword];
  const constant = find('const');
  if (constant !== undefined) return [constant];
  const types = [find('type') ?? []].flat();
  const texts = types.includes('string') ? [`vouch-${seed}`] : [];
  const isNumber = types.some((each) => each === 'integer' || each === 'number');
  const numbers = isNumber ? [900, 30, 4].map((range) => (find('minimum') ?? 0) + 1 + (seed % range)) : [];
  const isMap = types.includes('object') && parts.every(({ schema }) => schema.properties === undefined);
  const maps = isMap ? [{ vouch: `vouch-${seed}` }, { vouch: seed }] : [];
  const generated = parts
    .flatMap(({ pointer }) => Array.from({ length: 10 }, (_, index) => generator.value(pointer, { ...request, index })))
    .filter((each) => !isEmpty(each));
  const isOriginal = (each: unknown): boolean => each === find('default');
  return [...texts, ...numbers, ...maps, ...generated].toSorted(
    (a, b) => Number(isOriginal(a)) - Number(isOriginal(b)),
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
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
