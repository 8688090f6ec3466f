import type { Command } from 'commander';
import { describeBinding, type OperationReport } from '../../resources/answer/report.js';
import { readItemModels } from '../../resources/item/item-models.js';
import type { Resource, Resources } from '../../resources/item/resource.js';
import { createItems } from '../../resources/store/items.js';
import { addDocument, loadDocument, type ReportOptions } from '../document.js';
import { alignColumns, type Output } from '../output.js';
import { countOf, MockError, suggest } from '../../base/errors.js';

/** Defines `vouch resources`. */
export function defineCommand(command: Command, output: Output): void {
  addDocument(command, output, runResources)
    .description('show which operations form a resource, how their bodies hold the items, and why')
    .option('--collection <name>', 'only this collection, and those below it')
    .option('--operation <id>', 'only this operation: its id, or "GET /path"')
    .option(
      '--below <confidence>',
      'only operations with a lower confidence, from 0 to 1, and those that are not bound',
    )
    .option('--json', 'print JSON');
}

/**
 * `vouch resources`: prints each collection inferred from a document with its operations: where the item is in their bodies, what
 * identifies it, what is stored, how pages work, the confidence and the reason. Then the operations that belong to no collection.
 *
 * @throws MockError if the document cannot be loaded or contains an invalid hint.
 */
export async function runResources(options: ResourcesOptions): Promise<number> {
  const { json = false, write } = options;
  const isShown = createFilter(options);
  const contract = await loadDocument(options, { 'document.cacheFolder': false });
  const models = readItemModels(contract);
  const { resources } = models;
  const context = { ...models, items: createItems(models) };
  const isFiltered = isShown !== undefined;
  const collections = [...resources.collections.values()].flatMap((resource) => {
    const operations = [...resources.bindings.values()]
      .filter(({ collection }) => collection === resource.name)
      .map((binding) => describeBinding(context, binding))
      .filter((each) => isShown?.({ ...each, collection: resource.name }) !== false);
    return isFiltered && operations.length === 0 ? [] : [{ resource, operations }];
  });
  const { bindings } = resources;
  const unbound = resources.unbound.filter(
    ({ operation: { id, method, path } }) =>
      isShown?.({ operation: id, method, path, collection: undefined, confidence: undefined }) !== false,
  );
  if (isFiltered && collections.length + unbound.length === 0) throw toNoMatch(options, resources);
  if (json) {
    const { title, version, preset } = contract;
    const report = {
      title,
      version,
      preset,
      collections: collections.map(toReport),
      unbound: unbound.map(({ operation: { id: operation, method, path }, why }) => ({ operation, method, path, why })),
    };
    write(JSON.stringify(report, undefined, 2));
    return 0;
  }
  const total = countOf(bindings.size + resources.unbound.length, 'operation');
  const counts = `${countOf(resources.collections.size, 'collection')}, ${bindings.size} of ${total} bound`;
  const preset = contract.preset === undefined ? '' : ` (preset: ${contract.preset})`;
  write(`${contract.title} ${contract.version}${preset}: ${counts}\n`);
  for (const { resource, operations } of collections) {
    const isParent = collections.some((other) => other.resource.parents.includes(resource.name));
    if (operations.length === 0 && !isParent) continue;
    write(describeResource(resource));
    for (const [masked, plain] of Object.entries(resource.redacts)) write(`  ${masked} is the masked form of ${plain}`);
    for (const line of alignOperations(operations)) write(line);
  }
  if (unbound.length > 0) write('\nnot bound: answered from examples and schemas');
  for (const { operation, why } of unbound) write(`  ${operation.method} ${operation.path}  ${why}`);
  return 0;
}

/** Options of `vouch resources`. */
export interface ResourcesOptions extends ReportOptions {
  readonly collection?: string;
  readonly operation?: string;
  readonly below?: string;
}

/** What a filter reads of an operation; without a collection, it is not bound. */
interface Filtered extends Pick<OperationReport, 'method' | 'operation' | 'path'> {
  readonly collection: string | undefined;
  readonly confidence: number | undefined;
}

/** Whether an operation is shown; undefined without filters. @throws MockError `OPTION_INVALID`. */
function createFilter({ collection, operation, below }: ResourcesOptions): ((of: Filtered) => boolean) | undefined {
  if (collection === undefined && operation === undefined && below === undefined) return undefined;
  const limit = below === undefined ? Infinity : Number(below);
  if (!(limit >= 0))
    throw new MockError('OPTION_INVALID', `--below must be a number from 0 to 1, got ${JSON.stringify(below)}`);
  return (of) =>
    (collection === undefined ||
      of.collection === collection ||
      of.collection?.startsWith(`${collection}.`) === true) &&
    (operation === undefined || of.operation === operation || `${of.method} ${of.path}` === operation) &&
    (of.confidence ?? 0) < limit;
}

function toNoMatch({ collection, operation }: ResourcesOptions, resources: Resources): MockError {
  const names = [...resources.collections.keys()];
  const operations = [...resources.bindings.keys(), ...resources.unbound.map((each) => each.operation.id)];
  const meant = [
    collection === undefined || names.includes(collection) ? undefined : suggest(collection, names),
    operation === undefined ? undefined : suggest(operation, operations),
  ].find((each) => each !== undefined);
  const hint = meant ?? 'run it without filters for all collections and operations';
  return new MockError('OPTION_INVALID', 'no operation of the document matches the filters', { hint });
}

/** A collection with the reports of its operations. */
interface Described {
  readonly resource: Resource;
  readonly operations: readonly OperationReport[];
}

function toReport({ resource, operations }: Described): object {
  const { schema, idProperty: id, name, path, singleton, keyProperties, parents, members, secretKey } = resource;
  const { once, unique, redacts, set, unknownIds } = resource;
  const about = { name, path, singleton, id, keyProperties, parents, members, secretKey: secretKey?.name };
  const pointer = schema === undefined ? undefined : `#${schema}`;
  return { ...about, once, unique, redacts, set, unknownIds, schema: pointer, operations };
}

function describeResource(resource: Resource): string {
  const { keyProperties } = resource;
  const facts = {
    'under ': resource.parents.join(', '),
    'members of ': resource.members,
    'identified by ': resource.secretKey?.name,
    'returned only once: ': resource.once.join(', '),
    'unique: ': resource.unique.join(', '),
    'unknown ids: ': resource.unknownIds,
  };
  const known = Object.entries(facts).flatMap(([label, fact = '']) => (fact === '' ? [] : [label + fact]));
  const property = keyProperties.length > 0 ? keyProperties.join(' and ') : (resource.idProperty ?? 'none');
  const id = resource.singleton ? 'singleton' : `id: ${property}`;
  const schema = resource.schema === undefined ? 'no schema' : `schema #${resource.schema}`;
  return `${resource.name}  (${[id, ...known, schema].join('; ')})`;
}

/** One line per operation, and below it what is known about its parameters and bodies. */
function alignOperations(operations: readonly OperationReport[]): readonly string[] {
  const rows = operations.map(({ action, method, path, confidence, why }) => {
    return [action, `${method} ${path}`, confidence.toFixed(2), why];
  });
  const lines = alignColumns(rows);
  return operations.flatMap((operation, i) => {
    return [`  ${lines[i] ?? ''}`, ...describeOperation(operation).map((line) => `      ${line}`)];
  });
}

/** Describes an operation in sentences. */
function describeOperation(operation: OperationReport): readonly string[] {
  const { id, parents, within, set, request, query, answer, list } = operation;
  const lines: string[] = [];
  const links = parents.map(
    (parent) => `${listParameters(parent.parameters)} identifies the item of ${parent.collection}`,
  );
  if (id.length > 0) links.push(`${listParameters(id)} identifies the item`);
  if (links.length > 0) lines.push(links.join('; '));
  if (within !== undefined) lines.push(describeWithin(within));
  if (Object.keys(set).length > 0) lines.push(`sets ${JSON.stringify(set)}`);
  if (request !== undefined) {
    lines.push(`request: ${describePosition(request.item)}; ${describeStored(request)}`);
    if (request.renamed.length > 0) lines.push(`  ${listRenames(request.renamed, 'stored as')}`);
  }
  if (query !== undefined) lines.push(`query: stored: ${listNames(query)}`);
  if (answer !== undefined) lines.push(...describeAnswer('answer', describePosition(answer.item), answer));
  if (list !== undefined) lines.push(...describeList(list));
  return lines;
}

type Parameters = OperationReport['id'];

function listParameters(parameters: Parameters): string {
  const names = { own: 'the user of the request as ', path: '', query: 'query parameter ', body: 'body property ' };
  return parameters.map((each) => names[each.in] + (each.in === 'path' ? `{${each.name}}` : each.name)).join(' and ');
}

function describeWithin({ property, parameter }: NonNullable<OperationReport['within']>): string {
  return property === undefined
    ? `only the items that were created below the parent in {${parameter}}`
    : `only the items whose ${property} is {${parameter}}`;
}

function describePosition(pointer: string): string {
  return pointer === '' ? 'the whole body is the item' : `the item is at ${pointer}`;
}

/** How many names a line lists. */
const MAX_NAMES = 12;

function listNames(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? `, … (${names.length})` : '';
  return names.slice(0, MAX_NAMES).join(', ') + more;
}

function describeStored({ stored, serverSet, notStored }: NonNullable<OperationReport['request']>): string {
  const others = [...serverSet, ...notStored];
  if (stored.length === 0 && others.length === 0) return 'no properties to store';
  if (others.length === 0) return 'all properties are stored';
  const lists = { stored, 'set by the server': serverSet, 'not stored': notStored };
  if (stored.length === 0 && serverSet.length === 0) {
    return `nothing is stored: the item has none of the properties ${listNames(notStored)}`;
  }
  return Object.entries(lists)
    .flatMap(([label, names]) => (names.length === 0 ? [] : [`${label}: ${listNames(names)}`]))
    .join('; ');
}

function describeAnswer(
  label: string,
  position: string,
  { shown, generated, renamed }: NonNullable<OperationReport['answer']>,
): readonly string[] {
  const isForeign = shown.length === 0 && generated.length > 0;
  const names = listNames(generated);
  const rest = isForeign
    ? `it shows nothing of the stored item: ${names}`
    : `not stored, generated where required: ${names}`;
  const lines = [`${label}: ${position}${generated.length === 0 ? '' : `; ${rest}`}`];
  if (renamed.length > 0) lines.push(`  ${listRenames(renamed, 'shows')}`);
  return lines;
}

function listRenames(renamed: NonNullable<OperationReport['request']>['renamed'], verb: string): string {
  const toName = (pointer: string): string => pointer.slice(1).replaceAll('/', '.');
  return listNames(renamed.map(({ body, item }) => `${toName(body)} ${verb} ${toName(item)}`));
}

function describeList(list: NonNullable<OperationReport['list']>): readonly string[] {
  const { items, element, style, parameters, envelope, filters } = list;
  const inner = element === undefined || element.item === '' ? '' : `, each at ${element.item} of its element`;
  const place = (items === '' ? 'the whole body is the array of items' : `the items are at ${items}`) + inner;
  const answer = element ?? { item: '', shown: [], generated: [], renamed: [] };
  const pages = Object.entries(parameters).map(([role, name]) => (role === name ? name : `${name} (${role})`));
  const limits = [
    list.defaultLimit === undefined ? '' : `${list.defaultLimit} items by default`,
    list.maximumLimit === undefined ? '' : `at most ${list.maximumLimit}`,
    list.newestFirst ? 'newest first' : '',
  ].filter((limit) => limit !== '');
  const known = Object.entries(envelope).map(([pointer, role]) => `${pointer} (${role})`);
  const selection = [
    filters.length === 0 ? '' : `filters: ${listNames(filters)}`,
    list.search === undefined ? '' : `search: ${list.search}`,
    list.sort === undefined ? '' : `sort by: ${list.sort}`,
    list.order === undefined ? '' : `order: ${list.order}`,
  ].filter((part) => part !== '');
  const plan = pages.length === 0 ? 'none' : `${style}: ${[pages.join(', '), ...limits].join('; ')}`;
  return [
    ...(items === undefined
      ? ['answer: the number of items']
      : [...describeAnswer('answer', place, answer), `pages: ${plan}`]),
    ...(known.length === 0 ? [] : [`envelope: ${known.join(', ')}`]),
    ...(selection.length === 0 ? [] : [selection.join('; ')]),
  ];
}
