import { isObject, readPath } from '../../src/contract/json.js';
import { createGenerator } from '../../src/generate/generate.js';
import { createValidators } from '../../src/schema/validate.js';
import type { Mock } from '../../src/index.js';
import { inferResources } from '../../src/state/inference/infer.js';
import { createItemSchemaReader } from '../../src/state/item-schema.js';
import type { Binding, Resource } from '../../src/state/resource.js';
import { draftRequest, toRequest, type RequestDraft } from '../../src/server/control/sample-request.js';

/** What became of one resource: undefined where it lived and died as it should, else the first thing that was not so. */
export interface Life {
  readonly resource: string;
  readonly steps: readonly string[];
  readonly failure: string | undefined;
}

/** Leads every resource that can be created, read and deleted through its life. */
export async function liveAll(mock: Mock): Promise<readonly Life[]> {
  const { contract } = mock;
  const resources = inferResources(contract);
  const generator = createGenerator(contract, createValidators(contract));
  const read = createItemSchemaReader(contract);
  const lives: Life[] = [];
  for (const resource of resources.collections.values()) {
    const bindings = [...resources.bindings.values()].filter((each) => each.collection === resource.name);
    // A list that shows a part of a collection need not show what the test creates.
    const find = (action: Binding['action']): Binding | undefined =>
      bindings
        .filter((each) => each.action === action && each.within === undefined)
        // Such as `/users/me`, which reads one of the users without an id.
        .toSorted((a, b) => Number(isWithoutId(a)) - Number(isWithoutId(b)) || a.parents.length - b.parents.length)[0];
    const [create, reading, removal] = [find('create'), find('read'), find('delete')];
    if (create === undefined || reading === undefined || removal === undefined) continue;
    const steps: string[] = [];
    const send = async (binding: Binding, change: Partial<RequestDraft>): Promise<Reply> => {
      const draft = draftRequest(contract, generator, binding.operation);
      const path = { ...draft.path, ...change.path };
      for (const link of binding.parents) for (const name of link.parameters) path[name] = parentId(draft, name);
      const request = toRequest({ ...withoutNumber(draft, binding, resource), ...change, path });
      request.headers.set('accept', 'application/json, */*;q=0.1');
      const response = await mock.fetch(request);
      const text = await response.text();
      steps.push(`${binding.action} ${response.status}`);
      const body: unknown = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text;
      const sent = change.body?.value ?? draft.body?.value;
      return { status: response.status, body, sent: isObject(sent) ? sent : {} };
    };
    const failure = await live(
      { resource, create, reading, removal, list: find('list'), update: find('update') },
      send,
      { findText: (binding) => findText(binding, resource) },
    );
    lives.push({ resource: resource.name, steps, failure });
  }
  return lives;

  /** A property that an update takes as a plain text, and that the item shows. */
  function findText(binding: Binding, resource: Resource): string | undefined {
    const media = binding.operation.body?.content[0];
    const body = media === undefined ? undefined : read(media.schemaPointer);
    const item = resource.schema === undefined ? undefined : read(resource.schema);
    return [...(body?.properties.values() ?? [])].find(({ name, schema }) => {
      const shown = item?.properties.get(name);
      return isFree(schema) && shown !== undefined && isFree(shown.schema) && name !== resource.idProperty;
    })?.name;
  }
}

function isWithoutId({ action, operation }: Binding): boolean {
  return action === 'read' && !operation.path.includes('{');
}

type Send = (binding: Binding, change: Partial<RequestDraft>) => Promise<Reply>;

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly sent: Readonly<Record<string, unknown>>;
}

interface Cast {
  readonly resource: Resource;
  readonly create: Binding;
  readonly reading: Binding;
  readonly removal: Binding;
  readonly list: Binding | undefined;
  readonly update: Binding | undefined;
}

async function live(
  cast: Cast,
  send: Send,
  { findText }: { readonly findText: (binding: Binding) => string | undefined },
): Promise<string | undefined> {
  const { resource, create, reading, removal, list, update } = cast;
  const answered = await send(create, {});
  // Some contracts show nothing of what was created; then it has to be what was sent.
  const created = answered.body === '' ? { ...answered, body: answered.sent } : answered;

  if (created.status >= 300 || !isObject(created.body)) return `create answers ${created.status} ${show(created.body)}`;
  const item = findCreated(created.body, resource.idProperty ?? 'id');
  const id = item[resource.idProperty ?? 'id'] ?? created.sent[resource.memberParameter ?? ''];
  if (typeof id !== 'string' && typeof id !== 'number') return `create shows no ${resource.idProperty ?? 'id'}`;
  const keys = resource.keyProperties.map((name) => item[name]);
  const at = (binding: Binding): Partial<RequestDraft> => ({
    path: Object.fromEntries(binding.id.map((name, i) => [name, keys[i] ?? id])),
  });
  const first = await send(reading, at(reading));
  if (first.status !== 200 || !isObject(first.body)) return `read answers ${first.status} ${show(first.body)}`;
  if (first.body[resource.idProperty ?? 'id'] !== id) return 'read shows another item';
  if (list !== undefined && !(await isListed(list, send, { resource, item: first.body, id })))
    return 'the list does not show it';
  const property = update === undefined ? undefined : findText(update);
  if (update !== undefined && property !== undefined) {
    const media = update.operation.body?.content[0];
    const changed = await send(update, {
      ...at(update),
      ...(media === undefined ? {} : { body: { media, value: { [property]: 'changed by the test' } } }),
    });
    const again = await send(reading, at(reading));
    if (changed.status < 300 && isObject(again.body) && again.body[property] !== 'changed by the test') {
      return `read does not show the update of ${property}: ${show(again.body[property])}`;
    }
  }
  const removed = await send(removal, at(removal));
  if (removed.status >= 300) return `delete answers ${removed.status} ${show(removed.body)}`;
  const gone = await send(reading, at(reading));
  const isMarked = isObject(gone.body) && gone.body['deleted'] === true;
  if (gone.status !== 404 && !isMarked) return `read after delete answers ${gone.status}`;
  if (list !== undefined && (await isListed(list, send, { resource, item: first.body, id })))
    return 'the list still shows it';
  return undefined;
}

/** The item that the answer to a create shows: the answer, or the only element of its list. */
function findCreated(body: Readonly<Record<string, unknown>>, idProperty: string): Readonly<Record<string, unknown>> {
  const [list, ...others] = Object.values(body).filter((value) => Array.isArray(value));
  const [only] = list?.length === 1 ? (list as readonly unknown[]) : [];
  return Object.hasOwn(body, idProperty) || others.length > 0 || !isObject(only) ? body : only;
}

async function isListed(
  list: Binding,
  send: Send,
  of: { readonly resource: Resource; readonly item: Readonly<Record<string, unknown>>; readonly id: string | number },
): Promise<boolean> {
  // A parameter that has to be given and is a property of the items is a filter: it is given what the item has, `x_id` that of `x: { id }`.
  const query: Record<string, unknown> = {};
  for (const { name, in: place, required } of list.operation.parameters) {
    const value = of.item[name] ?? readPath(of.item, [name.replace(/_id$/, ''), 'id']);
    if (place === 'query' && required && typeof value === 'string') query[name] = value;
  }
  const { body } = await send(list, Object.keys(query).length === 0 ? {} : { query });
  const items = readPath(body, list.list?.path ?? ['data']);
  return Array.isArray(items) && items.some((item) => isObject(item) && item[of.resource.idProperty ?? 'id'] === of.id);
}

/** A create without the number it would choose as its id: numbers are the server's to give. */
function withoutNumber(draft: RequestDraft, binding: Binding, resource: Resource): RequestDraft {
  const { body } = draft;
  const id = resource.idProperty ?? '';
  if (binding.action !== 'create' || body === undefined || !isObject(body.value)) return draft;
  if (typeof body.value[id] !== 'number') return draft;
  return {
    ...draft,
    body: { ...body, value: Object.fromEntries(Object.entries(body.value).filter(([name]) => name !== id)) },
  };
}

function parentId(draft: RequestDraft, name: string): unknown {
  const schema = draft.operation.parameters.find((parameter) => parameter.name === name)?.schema;
  const numeric = isObject(schema) && schema['type'] === 'integer';
  return numeric ? 1 : 'parent_1';
}

function isFree(schema: {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly format?: unknown;
  readonly pattern?: unknown;
}): boolean {
  return (
    schema.type === 'string' && schema.enum === undefined && schema.format === undefined && schema.pattern === undefined
  );
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 300) ?? 'nothing';
}
