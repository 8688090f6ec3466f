import { isObject } from '../../src/base/json.js';
import { readPointer, readSegments, toPointer } from '../../src/contract/pointer.js';
import { createMock, type MockOptions } from '../../src/index.js';
import { setAt } from './manifest-body.js';
import { type Client, createClient, Failure, type Values } from './manifest-client.js';
import { type Delete, type List, loadManifest, type Resource, type Update } from './manifest-format.js';
import { type Reply, show, walkPages } from './manifest-pages.js';
import { contains, explainGone, isStatus, readField, readKey, toKeyPointer } from './manifest-values.js';

/** The failures of one resource; none where every step answers as the manifest says. */
export interface ResourceReport {
  readonly resource: string;
  readonly failures: readonly string[];
}

/** Runs the lifecycle of each resource of the manifest beside a document against a mock. */
export async function runManifest(
  spec: string,
  options: Partial<MockOptions> = {},
): Promise<readonly ResourceReport[]> {
  const resources = loadManifest(spec);
  const isClosed = typeof options.state === 'object' && options.state.unknownIds === 'not-found';
  const mock = await createMock({ ...options, spec });
  try {
    const reports: ResourceReport[] = [];
    for (const resource of resources) {
      mock.reset();
      const failures: string[] = [];
      const fail = (step: string, text: string): void => void failures.push(`${resource.name}: ${step}: ${text}`);
      await createLifecycle(createClient(mock), resources, { resource, isClosed }, fail)();
      reports.push({ resource: resource.name, failures });
    }
    return reports;
  } finally {
    await mock.close();
  }
}

/** A created item and what is known about it. */
interface Item {
  readonly resource: Resource;
  /** The values of the parents by parameter or field. */
  readonly parents: Values;
  /** The id and the values of the parameters that identify the item; an update may move it. */
  id: unknown;
  keys: Values;
  /** The item as an answer showed it last. */
  latest: unknown;
  /** The values that were sent, by their pointers in the item. */
  readonly expected: Map<string, unknown>;
}

function createLifecycle(
  client: Client,
  resources: readonly Resource[],
  { resource, isClosed }: { readonly resource: Resource; readonly isClosed: boolean },
  fail: (step: string, text: string) => void,
): () => Promise<void> {
  /** The created parents by the name of their resource. */
  const createdParents = new Map<string, Item>();
  /** The sent values by pointer that an answer did not show, so that the following answers do not repeat the failure. */
  const reported = new Map<string, unknown>();
  let isFirst = true;

  const createParents = async (of: Resource): Promise<Values> => {
    const values: Record<string, unknown> = {};
    for (const [name, parent] of Object.entries(of.parents)) {
      const creator = typeof parent === 'string' ? parent : isClosed ? parent.closed : undefined;
      if (creator === undefined) {
        values[name] = typeof parent === 'string' ? undefined : parent.value;
        continue;
      }
      const above = resources.find((each) => each.name === creator);
      if (above === undefined) throw new Error(`the manifest has no resource ${creator}`);
      const item = createdParents.get(creator) ?? (await create(above));
      createdParents.set(creator, item);
      const isPath = of.create.operation.includes(`{${name}}`);
      const keys = Object.values(item.keys);
      values[name] = name in item.keys ? item.keys[name] : isPath && keys.length === 1 ? keys[0] : item.id;
    }
    return values;
  };

  const create = async (of: Resource): Promise<Item> => {
    const step = of === resource ? 'create' : `create the parent ${of.name}`;
    const parents = await createParents(of);
    const operation = client.find(of.create.operation);
    const { chosen } = of.id;
    const choice = chosen === undefined ? {} : { [chosen.parameter]: client.choose(operation, chosen.parameter) };
    const isInBody = ([name]: readonly [string, unknown]): boolean => client.place(operation, name) === 'body';
    const fixed = { ...of.values, ...Object.fromEntries(Object.entries(parents).filter(isInBody)) };
    const vary = Object.keys(of.sent);
    const body = client.build({ operation, at: of.create.body, fixed, vary, previous: new Map() });
    if (isFirst && body !== undefined && body.unsent.length > 0)
      fail(step, `no valid value for ${body.unsent.join(', ')}`);
    const others = Object.entries(parents).filter((each) => !isInBody(each));
    const values = { ...Object.fromEntries(others), ...choice };
    const places = chosen && { [chosen.parameter]: chosen.in };
    const reply = await client.send(of.create.operation, { values, places, body });
    if (!isStatus(reply, of.create.status)) {
      throw new Failure(`${step}: answers ${reply.status} ${show(reply.body)} to ${show(body?.value)}`);
    }
    const { longRunning, item: at } = of.create;
    const direct = at === null ? undefined : readPointer(reply.body, at);
    const shown = longRunning === undefined ? direct : await client.poll(reply, longRunning);
    const expected = new Map(
      Object.entries(of.sent).flatMap(([field, pointer]) => {
        const value = readField(body, of.create.body, field);
        return value === undefined ? [] : [[pointer, value] as const];
      }),
    );
    if (of === resource && at !== null && isFirst) {
      isFirst = false;
      compare(step, direct, expected, (pointer) => client.gives(operation, `${at}${pointer}`));
    }
    const [first] = Object.values(choice);
    const keys = Object.entries(of.id.parameters).map(([name, key]) => [name, readKey(shown, key) ?? first] as const);
    const lost = keys.find(([, value]) => value === undefined || value === null);
    if (lost !== undefined) throw new Failure(`${step}: shows no value for ${lost[0]}: ${show(reply.body)}`);
    const id = readPointer(shown, of.id.pointer) ?? first;
    if (of === resource && at !== null && readPointer(direct, of.id.pointer) === undefined) {
      throw new Failure(`${step}: shows no id at ${of.id.pointer}: ${show(reply.body)}`);
    }
    return { resource: of, parents, id, keys: Object.fromEntries(keys), latest: shown, expected };
  };

  /** Reports the sent values that an item shows differently, or does not show where they are due; each one once. */
  const compare = (
    step: string,
    shown: unknown,
    expected: ReadonlyMap<string, unknown>,
    isDue: (pointer: string) => boolean,
  ): void => {
    const wrong = [...expected].filter(([pointer, value]) => {
      const actual = readPointer(shown, pointer);
      return !contains(actual, value) && (actual !== undefined || isDue(pointer)) && reported.get(pointer) !== value;
    });
    for (const [pointer, value] of wrong) reported.set(pointer, value);
    const texts = wrong.map(
      ([pointer, value]) => `${pointer} is ${show(readPointer(shown, pointer))}, not ${show(value)}`,
    );
    if (texts.length > 0) fail(step, `${texts.join('; ')}; in ${show(shown)}`);
  };

  const read = (item: Item, more: Values = {}): Promise<Reply> =>
    client.send(resource.read.operation, {
      values: { ...item.keys, ...more },
      places: resource.id.in,
      parents: item.parents,
    });

  const checkRead = async (step: string, item: Item): Promise<void> => {
    const reply = await read(item);
    const shown = readPointer(reply.body, resource.read.item);
    if (reply.status !== 200) return fail(step, `answers ${reply.status} ${show(reply.body)}`);
    if (shown === undefined) return fail(step, `shows no item at ${resource.read.item}: ${show(reply.body)}`);
    compare(step, shown, item.expected, () => true);
    item.latest = shown;
  };

  const walk = (list: List, item: Item, limit?: number, query: Values = {}): ReturnType<typeof walkPages> => {
    const { in: where = 'query', cursor, limit: size, style } = list.page ?? {};
    const places = Object.fromEntries([cursor, size].map((name) => [name, where]));
    const position = client.find(list.operation).parameters.find(({ name }) => name === (cursor ?? style));
    const ask = (values: Values): Promise<Reply> =>
      client.send(list.operation, { values: { ...query, ...values }, places, parents: item.parents });
    return walkPages(list, { ask, position, idPointer: resource.id.pointer }, limit);
  };

  const findIn = (elements: readonly unknown[], { id }: Item): readonly unknown[] =>
    elements.filter((each) => String(readPointer(each, resource.id.pointer)) === String(id));

  const checkLists = async (item: Item): Promise<void> => {
    if (resource.lists.length === 0) return;
    for (const list of resource.lists) {
      const { elements, problems } = await walk(list, item);
      const step = `list ${list.operation}`;
      for (const problem of problems) fail(step, problem);
      const [found] = findIn(elements, item);
      if (found === undefined) fail(step, `does not show ${show(item.id)}: ${show(elements)}`);
      else compare(step, found, item.expected, () => false);
    }
    const limits = resource.lists.map((list) => {
      const { parameters } = client.find(list.operation);
      const schema = parameters.find(({ name }) => name === list.page?.limit)?.schema;
      return Math.max(2, isObject(schema) ? (schema.minimum ?? 2) : 2);
    });
    const items = [item];
    while (items.length < Math.max(4, ...limits.map((each) => each + 2))) items.push(await create(resource));
    for (const [i, list] of resource.lists.entries()) {
      const { elements, problems } = await walk(list, item, limits[i]);
      const step = `pages ${list.operation}`;
      for (const problem of problems) fail(step, problem);
      const wrong = items.map((each) => ({ id: each.id, times: findIn(elements, each).length }));
      const texts = wrong.filter(({ times }) => times !== 1).map(({ id, times }) => `${show(id)} ${times} times`);
      if (texts.length > 0) fail(step, `shows ${texts.join(', ')}, not once: ${show(elements)}`);
    }
  };

  /** The fields that an update takes, with their pointers, and those that keep their values. */
  const readFields = (item: Item, update: Update): { readonly vary: readonly string[]; readonly kept: Values } => {
    const operation = client.find(update.operation);
    const keys = new Set([resource.id.pointer, ...Object.values(resource.id.parameters).map(toKeyPointer)]);
    const declared = Object.entries(update.sent ?? resource.sent).filter(([field]) =>
      client.takes(operation, `${update.body}${toPointer(...field.split('.'))}`),
    );
    const isKept = ([field, pointer]: readonly [string, string]): boolean =>
      field in resource.parents || (update.sent === undefined && keys.has(pointer));
    const kept = declared.filter(isKept).map(([field, pointer]) => [field, item.expected.get(pointer)] as const);
    const sends = Object.entries(update.sends ?? {}).map(
      ([field, pointer]) => [field, readPointer(item.latest, pointer)] as const,
    );
    return {
      vary: declared.filter((each) => !isKept(each)).map(([field]) => field),
      kept: Object.fromEntries([...kept, ...sends].filter(([, value]) => value !== undefined)),
    };
  };

  const checkUpdate = async (item: Item, update: Update): Promise<void> => {
    const { vary } = readFields(item, update);
    const even = vary.filter((_, i) => i % 2 === 0);
    const odd = vary.filter((_, i) => i % 2 === 1);
    const rounds = update.kind === 'replace' ? [vary, vary.slice(0, 1)] : [even, odd];
    const step = `update ${update.operation}`;
    if (vary.length === 0) return fail(step, 'takes no field of sent');
    for (const fields of rounds.slice(0, vary.length)) {
      const problem = await updateOnce(`${step} of ${fields.join(', ')}`, item, update, fields);
      if (problem !== undefined) fail(step, problem);
    }
  };

  /** Sends new values of some fields; gives what makes the answer useless. */
  const updateOnce = async (
    step: string,
    item: Item,
    update: Update,
    fields: readonly string[],
  ): Promise<string | undefined> => {
    const operation = client.find(update.operation);
    const pointers = update.sent ?? resource.sent;
    const { vary, kept } = readFields(item, update);
    const moved = Object.entries(update.parameters ?? {}).map(([name, key]) => [name, readKey(item.latest, key)]);
    const values = { ...item.parents, ...item.keys, ...Object.fromEntries(moved) } as Values;
    const inPlace = (wanted: string): Values =>
      Object.fromEntries(
        Object.entries(values).filter(
          ([name]) =>
            client.place(operation, name, update.in) === wanted && (wanted === 'path' || update.in?.[name] === wanted),
        ),
      );
    const isPartial = update.kind === 'replace' && fields.length < vary.length;
    const dropsParents = (field: string): boolean => isPartial && field in resource.parents;
    const fixed = Object.fromEntries(Object.entries(kept).filter(([field]) => !dropsParents(field)));
    const body = client.build({
      operation,
      at: update.body,
      fixed: { ...fixed, ...inPlace('body') },
      // Fields that the mask omits keep their values, even if the body has them.
      vary: update.mask === undefined ? fields : vary,
      previous: new Map(Object.entries(pointers).map(([field, pointer]) => [field, item.expected.get(pointer)])),
      media: update.media,
      model: { operation: client.find(resource.create.operation), at: resource.create.body },
    });
    if (body === undefined) return 'the operation takes no such body';
    if (body.unsent.length > 0) fail(step, `no valid value for ${body.unsent.join(', ')}`);
    const isInBody = update.mask?.startsWith('/') === true;
    const mask = fields.join(',');
    const masked = isInBody ? { ...body, value: setAt(body.value, readSegments(update.mask ?? ''), mask) } : body;
    const query = update.mask === undefined || isInBody ? {} : { [update.mask]: mask };
    const reply = await client.send(update.operation, {
      values: { ...inPlace('path'), ...inPlace('query'), ...query },
      places: update.in,
      parents: item.parents,
      body: masked,
    });
    if (!isStatus(reply, update.status)) {
      return `answers ${reply.status} ${show(reply.body)} to ${show(masked.value)}`;
    }
    if (update.longRunning !== undefined) await client.poll(reply, update.longRunning);
    const dropped = new Map<string, unknown>();
    for (const [field, pointer] of Object.entries(pointers)) {
      const value = readField(body, update.body, field);
      const isMasked = update.mask !== undefined && !fields.includes(field);
      const old = item.expected.get(pointer);
      if (value !== undefined && !isMasked) item.expected.set(pointer, value);
      else if (update.kind === 'replace' && item.expected.delete(pointer) && typeof old !== 'boolean') {
        dropped.set(pointer, old);
      }
    }
    const shown = update.item === null ? undefined : readPointer(reply.body, update.item);
    const at = update.item ?? '';
    if (update.item !== null) {
      compare(`${step}: answer`, shown, item.expected, (pointer) => client.gives(operation, `${at}${pointer}`));
    }
    move(item, shown);
    await checkRead(`${step}: read`, item);
    const stale = [...dropped].filter(([pointer, old]) => contains(readPointer(item.latest, pointer), old));
    const texts = stale.map(([pointer, old]) => `${pointer} ${show(old)}`);
    if (texts.length > 0) fail(step, `what was left out is still there: ${texts.join(', ')}`);
    return undefined;
  };

  /** An update of a value that is a part of the key gives the item another key. */
  const move = (item: Item, shown: unknown): void => {
    const expected = [...item.expected].reduce(
      (all, [pointer, value]) => setAt(all, readSegments(pointer), value),
      {} as unknown,
    );
    const keys = Object.entries(resource.id.parameters).map(
      ([name, key]) => [name, readKey(shown, key) ?? readKey(expected, key) ?? item.keys[name]] as const,
    );
    item.keys = Object.fromEntries(keys);
    item.id = readPointer(shown, resource.id.pointer) ?? readPointer(expected, resource.id.pointer) ?? item.id;
  };

  const checkAlternates = async (item: Item): Promise<void> => {
    for (const [name, pointers] of Object.entries(resource.id.alternates ?? {})) {
      for (const pointer of [pointers].flat()) {
        const reply = await read(item, { [name]: readPointer(item.latest, pointer) });
        const id = readPointer(readPointer(reply.body, resource.read.item), resource.id.pointer);
        if (id !== item.id) fail(`read by ${pointer}`, `shows ${show(id)}, not ${show(item.id)}: ${show(reply.body)}`);
      }
    }
  };

  const checkDelete = async (item: Item, rules: Delete): Promise<void> => {
    const step = `delete ${rules.operation}`;
    const operation = client.find(rules.operation);
    const isTaken = ([name]: readonly [string, unknown]): boolean =>
      name in (rules.in ?? {}) || client.place(operation, name) === 'path';
    const sends = Object.entries(rules.sends ?? {}).map(([name, pointer]) => [name, readPointer(item.latest, pointer)]);
    const values = Object.entries({ ...item.parents, ...item.keys }).filter(isTaken);
    const reply = await client.send(rules.operation, {
      values: { ...Object.fromEntries(values), ...Object.fromEntries(sends) } as Values,
      places: rules.in,
      parents: item.parents,
    });
    if (reply.status >= 300) return fail(step, `answers ${reply.status} ${show(reply.body)}`);
    if (rules.longRunning !== undefined) await client.poll(reply, rules.longRunning);
    const after = await read(item);
    const problem = explainGone(rules, after, readPointer(after.body, resource.read.item));
    if (problem !== undefined) fail('gone', `${problem}: read answers ${after.status} ${show(after.body)}`);
    const isHard = typeof rules.gone === 'string' || rules.gone.status !== undefined;
    const listed = isHard ? false : rules.listed;
    for (const list of listed === undefined ? [] : resource.lists) {
      const { elements } = await walk(list, item);
      if (findIn(elements, item).length > 0 !== listed) {
        fail('gone', `${list.operation} ${listed ? 'does not show' : 'still shows'} ${show(item.id)}`);
      }
    }
    if (rules.archive !== undefined) await checkArchive(item, rules.archive);
  };

  const checkArchive = async (item: Item, { query, pointer, value }: NonNullable<Delete['archive']>): Promise<void> => {
    const reply = await read(item, query);
    const shown = readPointer(readPointer(reply.body, resource.read.item), pointer);
    if (shown !== value)
      fail('archive', `read shows ${pointer} as ${show(shown)}: ${reply.status} ${show(reply.body)}`);
    for (const list of resource.lists) {
      const { elements } = await walk(list, item, undefined, query);
      if (findIn(elements, item).length !== 1) fail('archive', `${list.operation} does not show ${show(item.id)}`);
    }
  };

  const runSteps = async (): Promise<void> => {
    const item = await create(resource);
    await checkRead('read', item);
    await checkAlternates(item);
    await checkLists(item);
    for (const update of resource.updates) await checkUpdate(item, update);
    if (resource.delete) await checkDelete(item, resource.delete);
  };

  return async () => {
    try {
      await runSteps();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      fail('stopped', error.message);
    }
  };
}
