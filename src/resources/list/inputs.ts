import { toKnownName } from '../../contract/known-names.js';
import { means } from '../../conventions/conventions.js';
import type { RequestHeaders } from '../../http/request-headers.js';
import type { Contract } from '../../contract/contract.js';
import { isObject, readPath } from '../../base/json.js';
import type { Operation, Parameter } from '../../contract/operations/operation.js';
import { listRepeatsHint } from '../../contract/operations/repeated.js';
import { findJsonMedia } from '../../contract/operations/responses.js';
import { createSchemaReader, listProperties, type SchemaView } from '../../contract/schema-view/schema-view.js';
import { toBareNoun, toItemNoun } from '../../conventions/names.js';
import { toBareName } from '../../base/names.js';
import { readString } from '../../contract/pointer.js';

/** A parameter of a list: of the query, a header, or a property of the request body. */
export interface PageInput extends Pick<Parameter, 'name' | 'required' | 'schema' | 'schemaPointer' | 'description'> {
  /** The property names from the root of the body, or of the query for an object in it; empty for other parameters. */
  readonly path: readonly string[];
  /** The name by which conventions know it. */
  readonly known: string;
  readonly in: 'body' | 'header' | 'query';
}

/** The parts of a request that can name a page. */
interface PageValues {
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Pick<RequestHeaders, 'get'>;
  readonly body: unknown;
}

/** The name by which conventions know a parameter: `page` for `pagination[page]`. */
function readKnown(contract: Contract, name: string): string {
  const [, outer = '', inner] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
  // JSON:API calls its parameters `page[number]` and `page[size]`.
  return inner !== undefined && outer !== 'page' && means(outer, 'pages.paging') ? inner : toKnownName(contract, name);
}

/** The parameters of a list, those of the query first. */
export function findPageInputs(contract: Contract, operation: Operation): readonly PageInput[] {
  const read = createSchemaReader(contract);
  const declared = operation.parameters.flatMap((parameter): readonly PageInput[] => {
    const { name, in: place, required, schema, schemaPointer, description } = parameter;
    const members = parameter.style === 'deepObject' ? listProperties(read(schemaPointer)) : [];
    if (
      place === 'query' &&
      members.length > 0 &&
      means(toKnownName(contract, name), 'queries.group', 'queries.expression')
    ) {
      return members.map(({ name: own, required: isRequired, schema: inner, target }) => ({
        name: `${name}[${own}]`,
        known: readKnown(contract, `${name}[${own}]`),
        path: [name, own],
        in: place,
        required: isRequired,
        schema: inner,
        schemaPointer: target,
        description: inner.description,
      }));
    }
    if (place !== 'query' && (place !== 'header' || !means(toKnownName(contract, name), 'pages.header'))) return [];
    return [
      { name, known: readKnown(contract, name), required, schema, schemaPointer, description, path: [], in: place },
    ];
  });
  const media = findJsonMedia(operation.body?.content ?? []);
  if (media?.schema === undefined) return declared;
  const repeated = listRepeatsHint(operation);
  // Beside the name of the method, an object has its parameters.
  const isMethod = operation.path.includes('#');
  const readInputs = (pointer: string, above: readonly string[]): readonly PageInput[] =>
    listProperties(read(pointer)).flatMap(({ name, known, required, schema, target, pointer: own }) => {
      const path = [...above, name];
      if (above.length === 0 && repeated.includes(name)) return [];
      const isNamed = above.length === 0 && (isMethod || means(toKnownName(contract, name), 'queries.group'));
      if (isNamed && isGroupOfInputs(read(target))) return readInputs(target, path);
      const description = readString(contract.at(`${own}/description`));
      return [{ name, known, required, schema, schemaPointer: target, description, path, in: 'body' as const }];
    });
  return [...declared, ...readInputs(media.schemaPointer, [])];
}

/** Whether the members of an object are parameters of their own, and not the parts of one condition: `{ field, operator, value }`. */
function isGroupOfInputs(object: SchemaView | undefined): boolean {
  const names = listProperties(object).map(({ name }) => name);
  return names.length > 0 && !names.some((name) => means(name, 'operators.operator', 'operators.all', 'operators.any'));
}

/**
 * The parameter with the ids of several items: `ids`, `widget_ids`, `widgets`, one that a path calls the same, or an array of the body with a
 * general name.
 */
export function findIdsInput(
  contract: Contract,
  operation: Operation,
  { collection, idNames }: { readonly collection: string; readonly idNames: readonly string[] },
): PageInput | undefined {
  const own = toBareName(collection);
  const noun = toBareNoun(collection);
  const names = new Set(['id', 'ids', `${noun}id`, `${noun}ids`, own, ...idNames.map(toBareName)]);
  const inputs = findPageInputs(contract, operation);
  const arrays = inputs.filter(
    ({ in: place, schema }) => place === 'body' && isObject(schema) && schema.type === 'array',
  );
  const isOwn = ({ name }: PageInput): boolean =>
    means(name, 'envelopes.inputs') || own.endsWith(toBareName(name)) || toBareName(name).startsWith(noun);
  return inputs.find(({ name }) => names.has(toBareName(name))) ?? arrays.find(isOwn);
}

/** The properties that identify the items of a collection. */
export interface ItemKeys {
  readonly name: string;
  readonly idProperty: string | undefined;
  readonly alternateKeys: readonly string[];
}

/** A parameter of a list with the ids of the items to show, or with the values of another key of theirs. */
export interface IdFilter {
  readonly name: string;
  /** The other key; undefined for ids. */
  readonly property: string | undefined;
}

/** The parameter that names the items of a list: `ids`, `pet_ids`, an array `pets`, or `pet_name` where the name is a key. */
export function findIdFilter(
  inputs: readonly PageInput[],
  { name: collection, idProperty = 'id', alternateKeys }: ItemKeys,
): IdFilter | undefined {
  const noun = toItemNoun(collection);
  const find = (property: string): PageInput | undefined => {
    const own = toBareName(property);
    const kind = own.startsWith(noun) && own !== noun ? own.slice(noun.length) : own;
    const isId = property === idProperty;
    const many = new Set([
      ...(isId ? ['ids', `${noun}ids`] : []),
      ...(means(kind, 'ids.id', 'ids.name') ? [`${kind}s`, `${noun}${kind}s`] : []),
    ]);
    return inputs.find((input) => {
      const bare = toBareName(input.name);
      if (many.has(bare)) return isArray(input) || (isObject(input.schema) && input.schema.type === 'string');
      if (isArray(input)) return isId && toBareNoun(input.name) === noun;
      return means(kind, 'ids.id', 'ids.name') && bare === noun + kind && bare !== own;
    });
  };
  for (const property of [idProperty, ...alternateKeys]) {
    const found = find(property);
    if (found !== undefined) return { name: found.name, property: property === idProperty ? undefined : property };
  }
  return undefined;
}

function isArray({ schema }: PageInput): boolean {
  return isObject(schema) && [schema.type].flat().includes('array');
}

/** Plans how the values of the parameters are read from a request, by their names. */
export function createValueReader(
  inputs: readonly PageInput[],
): (values: PageValues) => Readonly<Record<string, unknown>> {
  const others = inputs.filter((input) => input.in !== 'query' || input.path.length > 0);
  if (others.length === 0) return ({ query }) => query;
  return ({ query, headers, body }) => {
    const values: Record<string, unknown> = { ...query };
    for (const { name, path, in: place } of others) {
      const root = place === 'query' ? query : body;
      const value =
        place === 'header'
          ? (headers.get(name.toLowerCase()) ?? undefined)
          : isObject(root)
            ? readPath(root, path)
            : undefined;
      if (value !== undefined) values[name] ??= value;
    }
    return values;
  };
}
