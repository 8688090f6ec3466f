import { content, query } from '../../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, type Part, ref, TEXT } from '../../schema-parts.js';
import { isStatusFilter, type Names, type Plan, toNames } from './names.js';
import { isPut } from './shape.js';
import { joinWords, toPlural, toTitle } from './words.js';

/** What documents write as the types of a body, in this order. The first one that is JSON is that of requests. */
const MEDIA_TYPES = {
  json: ['application/json'],
  'text-first': ['text/plain', 'application/json', 'text/json'],
  charset: ['application/json; charset=utf-8'],
  vendor: ['application/vnd.drawn+json'],
  'vendor-first': ['application/vnd.drawn.v2+json', 'application/json'],
  'xml-first': ['application/xml', 'application/json'],
  any: ['*/*'],
} as const;

/** The types of the body of a PATCH that are not those of other requests. */
export const PATCH_TYPES = {
  plain: undefined,
  merge: 'application/merge-patch+json',
  operations: 'application/json-patch+json',
} as const;

/** The type of the requests of a client. */
export const toRequestType = ({ shape }: Plan): string =>
  MEDIA_TYPES[shape.media].find((type) => type.includes('json')) ?? 'application/json';

/** The document of a plan. */
export function createDocument(plan: Plan): Part {
  const { shape, words } = plan;
  const parts = createParts(plan);
  const isRpc = shape.style === 'rpc' || shape.style === 'rpc-get';
  return {
    openapi: '3.0.3',
    info: { title: 'Drawn', version: '1' },
    paths: {
      ...(isRpc ? createMethods(plan, parts) : createPaths(plan, parts)),
      ...(parts.names.hasHolder ? createHolders(plan, parts) : {}),
      ...(hasTasks(plan) ? createTasks(plan, parts) : {}),
    },
    components: {
      schemas: {
        ...(shape.schemas === 'shared' ? { [parts.names.title]: parts.item } : {}),
        ...(parts.names.hasHolder ? { [toTitle(words.holder)]: object({ id: TEXT, name: TEXT }, 'id', 'name') } : {}),
        ...(hasTasks(plan)
          ? {
              [toTitle(words.task)]: createTask(parts.names),
              [`${toTitle(words.task)}Info`]: createTask(parts.names, parts.names.taskOwnId),
            }
          : {}),
      },
    },
  };
}

const hasTasks = ({ shape: { create, updated, remove } }: Plan): boolean => [create, updated, remove].includes('task');

interface Parts {
  readonly names: Names;
  readonly item: Part;
  /** The item, or a reference to it. */
  readonly shown: Part;
  /** What lists show of it. */
  readonly listed: Part;
  readonly input: Part;
  /** A part of the input, for a PATCH. */
  readonly change: Part;
  readonly idSchema: Part;
  /** A response, also with the other responses of an operation. */
  respond(status: number, schema?: unknown, more?: object): Part;
  body(schema: unknown): Part;
  wrapItem(schema: unknown): unknown;
  wrapCreated(schema: unknown): unknown;
  wrapList(schema: unknown): unknown;
}

function createParts(plan: Plan): Parts {
  const { shape } = plan;
  const names = toNames(plan);
  const idSchema = ID_SCHEMAS[shape.idType];
  const item = createItem(plan, names, idSchema);
  const shown = shape.schemas === 'shared' ? ref(names.title) : item;
  const input = shape.input === 'item' ? shown : createInput(plan, names);
  const siblings = createSiblings(plan);
  const isRequired = shape.siblingIs === 'required';
  const types = MEDIA_TYPES[shape.media];
  const contents = (schema: unknown, all: readonly string[]): Part =>
    Object.assign({}, ...all.map((type) => content(schema, type))) as Part; // parts are objects
  const none = shape.errors === 'declared' ? { 404: { description: 'none' } } : {};
  return {
    names,
    item,
    shown,
    listed: shape.listed === 'whole' ? shown : object(pick(item, listSummary(plan, names))),
    input,
    change: object(createSent(plan, names)),
    idSchema,
    respond: (status, schema, more = {}) => ({
      responses: {
        [status]: { description: 'ok', ...(schema === undefined ? {} : { content: contents(schema, types) }), ...more },
        ...none,
      },
    }),
    body: (schema) => ({
      requestBody: {
        required: true,
        content: contents(schema, shape.media === 'xml-first' ? types : [toRequestType(plan)]),
      },
    }),
    wrapItem: (schema) => wrap(schema, names.itemAt, { siblings, isRequired }),
    wrapCreated: (schema) => wrap(schema, names.createdAt, { siblings, isRequired }),
    wrapList: (schema) =>
      wrap(schema, names.listAt, { siblings: merge(siblings, createPage(names, shape.end)), isRequired }),
  };
}

/** The properties that every list shows. */
export const listSummary = (
  { shape, words: { text, source } }: Plan,
  { id, hasStatus, statusName, isHeld, holderId }: Names,
): readonly string[] => [
  id,
  joinWords([text, source], shape.letters),
  ...(hasStatus ? ['status', statusName] : []),
  ...(isHeld ? [holderId] : []),
];

function pick(schema: Part, names: readonly string[]): Part {
  const properties = schema['properties'] as Part; // an object schema
  return Object.fromEntries(names.flatMap((name) => (name in properties ? [[name, properties[name]]] : [])));
}

const ID_SCHEMAS = {
  text: TEXT,
  uuid: { type: 'string', format: 'uuid' },
  integer: INTEGER,
  example: { type: 'string', example: 'kvo_20' },
} as const;

/** The schemas of what a request can set. */
function createSent({ shape, words }: Plan, names: Names): Part {
  const { text, size, tags, detail, part, source } = words;
  return {
    ...(shape.id === 'external' ? { [names.id]: TEXT } : {}),
    [joinWords([text, source], shape.letters)]: TEXT,
    [size]: INTEGER,
    [tags]: arrayOf(TEXT),
    [detail]: object({ [part]: TEXT, [size]: INTEGER }),
    ...(isStatusFilter(shape) ? { status: createStatus({ shape, words }, names) } : {}),
    ...(names.isHeld && shape.createAt !== 'parent' ? { [names.holderId]: TEXT } : {}),
  };
}

function createStatus({ shape, words }: Plan, { participle, back }: Names): Part {
  const acted = shape.action === 'none' ? [] : [...(back === undefined ? [] : [back.status]), participle];
  const own = back === undefined || isStatusFilter(shape) ? words.statuses : [];
  return { type: 'string', enum: [...own, ...acted.filter((status) => typeof status === 'string')] };
}

function createInput(plan: Plan, names: Names): Part {
  const properties = createSent(plan, names);
  const all = Object.keys(properties);
  return object(properties, ...{ some: all.slice(0, 1), none: [], all }[plan.shape.required]);
}

function createItem(plan: Plan, names: Names, idSchema: Part): Part {
  const { shape } = plan;
  const own = { readOnly: true };
  const properties: Part = {
    ...{
      none: {},
      time: { [names.extra]: { ...TEXT, format: 'date-time', ...own } },
      'other-id': { [names.extra]: { ...TEXT, ...own } },
      url: { [names.extra]: { ...TEXT, format: 'uri', ...own } },
    }[shape.extra],
    ...(shape.id === 'external' ? {} : { [names.id]: shape.idIs === 'read-only' ? { ...idSchema, ...own } : idSchema }),
    ...createSent(plan, names),
    ...(names.hasStatus && names.statusName === 'status' && !isStatusFilter(shape)
      ? { status: { ...createStatus(plan, names), ...own } }
      : {}),
    ...(names.statusName === 'enabled' ? { enabled: { ...BOOLEAN, ...own } } : {}),
    ...(shape.createAt === 'parent' ? { [names.holderId]: { ...TEXT, ...own } } : {}),
  };
  const all = Object.keys(properties);
  return object(properties, ...{ some: all.slice(0, 2), none: [], all }[shape.required]);
}

function createSiblings({ shape, words }: Plan): Part {
  const { sibling } = words;
  return {
    none: {},
    number: { [sibling]: { type: 'number' } },
    string: { [sibling]: TEXT },
    success: { success: BOOLEAN },
    meta: { meta: object({ [sibling]: TEXT }, ...(shape.siblingIs === 'required' ? [sibling] : [])) },
  }[shape.sibling];
}

/** Where numbers of a page are, as schemas beside the list or around it. */
const createPage = ({ totalAt, cursorAt, endAt }: Names, end: Plan['shape']['end']): Part =>
  [
    ...(totalAt === undefined ? [] : [{ at: totalAt, schema: INTEGER }]),
    ...(cursorAt === undefined ? [] : [{ at: cursorAt, schema: { type: 'string', nullable: true } }]),
    ...(endAt === undefined ? [] : [{ at: endAt, schema: END_SCHEMAS[end] }]),
  ].reduce((page, { at, schema }) => merge(page, { [at[0] ?? '']: wrap(schema, at.slice(1), NOTHING) }), {} as Part);

const END_SCHEMAS: Readonly<Record<Plan['shape']['end'], Part>> = {
  none: {},
  'has-more': BOOLEAN,
  'next-page': { type: 'integer', nullable: true },
  'next-url': { type: 'string', format: 'uri', nullable: true },
  pages: INTEGER,
};

interface Around {
  readonly siblings: Part;
  readonly isRequired: boolean;
}

const NOTHING: Around = { siblings: {}, isRequired: false };

function wrap(schema: unknown, path: readonly string[], { siblings, isRequired }: Around): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return schema;
  const inner = wrap(schema, rest, { siblings: {}, isRequired });
  const properties = merge({ [name]: inner }, siblings);
  return object(properties, ...(isRequired ? Object.keys(properties) : []));
}

/** Both, with the properties of object schemas that both have. */
function merge(one: Part, other: Part): Part {
  const merged = Object.entries(other).map(([name, schema]) => {
    const own = one[name] as Part | undefined;
    const inner = schema as Part;
    if (own === undefined) return [name, inner];
    const properties = { ...(own['properties'] as Part), ...(inner['properties'] as Part) };
    return [name, { ...own, properties }];
  });
  return { ...one, ...(Object.fromEntries(merged) as Part) };
}

const inPath = (name: string, schema: unknown = TEXT): Part => ({
  parameters: [{ name, in: 'path', required: true, schema }],
});

function createPaths(plan: Plan, parts: Parts): Part {
  const { shape, words } = plan;
  const { names, idSchema, wrapList, shown, respond } = parts;
  const { createAt } = shape;
  const list = { parameters: createListParameters(plan, names), ...respond(200, wrapList(arrayOf(parts.listed))) };
  const read = respond(200, parts.wrapItem(shown));
  const create = createCreate(plan, parts);
  const update = createUpdate(plan, parts);
  const one = {
    ...(shape.style === 'rest' ? { get: read } : {}),
    ...(isPut(shape) ? { put: shape.update === 'put' ? mergeResponses(create, update) : create } : {}),
    ...(shape.update === 'none' || shape.changeAt !== 'item' || (isPut(shape) && shape.update === 'put')
      ? {}
      : { [shape.update]: update }),
    ...(shape.removeAt === 'item' ? { delete: createRemove(plan, parts) } : {}),
  };
  const key = { ...query(names.parameter, idSchema), required: true };
  const verbs = [
    ...(shape.action === 'none' ? [] : [names.verb]),
    ...(names.back === undefined ? [] : [names.back.verb]),
    ...(shape.restore === 'none' ? [] : [shape.restore]),
  ];
  const toAct = (verb: string): Part => ({
    [`${names.one}/${verb}`]: { ...inPath(names.parameter, idSchema), post: createAction(plan, parts) },
  });
  return {
    [names.root]: {
      get: list,
      ...(createAt === 'collection' ? { post: create } : {}),
      ...(createAt === 'put-all' ? { put: create } : {}),
      ...(shape.changeAt === 'collection' ? { [shape.update]: update } : {}),
      ...(shape.removeAt === 'query' ? { delete: { parameters: [key], ...createRemove(plan, parts) } } : {}),
    },
    ...createMembers(plan, parts),
    ...(createAt === 'word'
      ? { [names.create]: { post: { summary: `Create a ${names.noun} from a ${words.source}`, ...create } } }
      : {}),
    ...(createAt === 'parent' ? { [names.create]: { ...inPath(names.holderId), post: create } } : {}),
    ...(shape.style === 'query'
      ? {
          [`${names.root}/info`]: {
            get: { parameters: [key], ...read },
          },
        }
      : {}),
    ...(Object.keys(one).length === 0 ? {} : { [names.one]: { ...inPath(names.parameter, idSchema), ...one } }),
    ...(Object.assign({}, ...verbs.map(toAct)) as Part), // parts are objects
  };
}

/** Operations that say which items belong to a parent. */
function createMembers({ shape }: Plan, { names, idSchema, wrapList, listed, respond, body }: Parts): Part {
  if (shape.members === 'none') return {};
  const { holderId, memberId } = names;
  const many = memberId.concat('s');
  const post = {
    none: undefined,
    put: undefined,
    post: { ...body(object({ [memberId]: idSchema }, memberId)), ...respond(204) },
    'post-many': { ...body(object({ [many]: arrayOf(idSchema) }, many)), ...respond(204) },
  }[shape.members];
  const parameters = [holderId, memberId].map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: name === holderId ? TEXT : idSchema,
  }));
  return {
    [names.members]: {
      ...inPath(holderId),
      get: respond(200, wrapList(arrayOf(listed))),
      ...(post === undefined ? {} : { post }),
    },
    [`${names.members}/{${memberId}}`]: {
      parameters,
      ...(shape.members === 'put' ? { put: respond(204) } : {}),
      delete: respond(204),
    },
  };
}

const mergeResponses = (one: Part, other: Part): Part => ({
  ...one,
  responses: { ...(other['responses'] as Part), ...(one['responses'] as Part) },
});

function createCreate(plan: Plan, parts: Parts): Part {
  const { shape, words } = plan;
  const { names, input, body, respond, wrapItem, wrapCreated, shown, idSchema } = parts;
  const isOk = shape.createAt === 'put-ok' || shape.createStatus === '200';
  const status = isOk ? 200 : 201;
  const located = { headers: { Location: { schema: TEXT } } };
  const sent = wrap(
    { union: { oneOf: [input, arrayOf(input)] }, many: arrayOf(input) }[shape.create as string] ?? input,
    names.requestAt,
    {
      siblings: {},
      isRequired: true,
    },
  );
  const answers = {
    item: () => respond(status, wrapCreated(shown)),
    id: () => respond(status, wrapCreated(object({ [names.id]: idSchema }, names.id))),
    task: () => respond(202, ref(toTitle(words.task))),
    nothing: () => respond(status, undefined, located),
    'no-content': () => respond(204, undefined, located),
    union: () => respond(status, wrapItem({ oneOf: [shown, arrayOf(shown)] })),
    many: () => respond(status, wrap(arrayOf(shown), names.listAt, NOTHING)),
  };
  return {
    ...(shape.createAt.startsWith('put') ? { summary: `Create a ${names.noun}` } : {}),
    ...body(sent),
    ...answers[shape.create](),
  };
}

function createUpdate(plan: Plan, parts: Parts): Part {
  const { shape, words } = plan;
  const { names, input, change, body, respond, wrapItem, shown, idSchema } = parts;
  const key = { [names.bodyId]: idSchema };
  const keyed =
    shape.changeAt === 'collection' ? object({ ...key, ...createSent(plan, names) }, names.bodyId) : undefined;
  const sent = wrap(keyed ?? (shape.update === 'put' ? input : change), names.requestAt, {
    siblings: {},
    isRequired: true,
  });
  const answers = {
    item: () => respond(200, wrapItem(shown)),
    nothing: () => respond(204),
    task: () => respond(202, ref(toTitle(words.task))),
  };
  const type = PATCH_TYPES[shape.patch];
  const operations = arrayOf(object({ op: TEXT, path: TEXT, value: {} }, 'op', 'path'));
  const patch = { requestBody: { content: content(shape.patch === 'operations' ? operations : sent, type) } };
  return { ...(type === undefined ? body(sent) : patch), ...answers[shape.updated]() };
}

const createAction = ({ shape }: Plan, { respond, wrapItem, shown }: Parts): Part =>
  shape.acted === 'item' ? respond(200, wrapItem(shown)) : respond(204);

function createRemove({ shape, words }: Plan, { respond, wrapItem, shown }: Parts): Part {
  if (shape.remove === 'no-content') return respond(204);
  if (shape.remove === 'task') return respond(202, ref(toTitle(words.task)));
  return respond(200, shape.remove === 'item' ? wrapItem(shown) : object({ success: BOOLEAN }, 'success'));
}

/** The parameters of a list by their names. */
function createListProperties(plan: Plan, names: Names): Part {
  const { shape, words } = plan;
  const status = { type: 'string', enum: words.statuses };
  return {
    ...{
      none: {},
      page: { page: INTEGER, [joinWords(['per', 'page'], shape.letters)]: INTEGER },
      offset: { offset: INTEGER, limit: INTEGER },
      cursor: { cursor: TEXT, limit: INTEGER },
      token: {
        [joinWords(['page', 'token'], shape.letters)]: TEXT,
        [joinWords(['page', 'size'], shape.letters)]: INTEGER,
      },
      after: { starting_after: TEXT, limit: INTEGER },
    }[shape.page],
    ...{
      none: {},
      status: { status },
      statuses: { 'statuses[]': arrayOf(status) },
      'status-array': { status: arrayOf(status) },
      'status-comma': { statuses: arrayOf(status) },
      ids: { ids: arrayOf(ID_SCHEMAS[shape.idType]) },
      parent: { [names.holderId]: TEXT },
    }[shape.filter],
  };
}

const createListParameters = (plan: Plan, names: Names): readonly Part[] =>
  Object.entries(createListProperties(plan, names)).map(([name, schema]) => ({
    ...query(name, schema as object),
    ...(plan.shape.filter === 'status-comma' && name === 'statuses' ? { explode: false } : {}),
  }));

/** The path of a method in RPC style. */
export function toMethod({ shape }: Plan, { root, title }: Names, verb: string): string {
  const noun = verb === 'list' ? toPlural(title) : title;
  return `${root}.${verb}${shape.method === 'verb' ? '' : noun}`;
}

/** The paths of methods in RPC style. */
function createMethods(plan: Plan, parts: Parts): Part {
  const { shape } = plan;
  const { names, idSchema, respond, body, shown } = parts;
  const key = { [names.parameter]: idSchema };
  const keyed = body(object(key, names.parameter));
  const isGet = shape.style === 'rpc-get';
  const read = respond(200, parts.wrapItem(shown));
  const list = respond(200, parts.wrapList(arrayOf(parts.listed)));
  const listed = createListProperties(plan, names);
  const method = (verb: string): string => toMethod(plan, names, verb);
  const change = object({ ...key, ...(parts.change['properties'] as Part) }, names.parameter);
  return {
    [method('create')]: { post: createCreate(plan, parts) },
    [method('get')]: isGet
      ? { get: { parameters: [{ ...query(names.parameter, idSchema), required: true }], ...read } }
      : { post: { ...keyed, ...read } },
    [method('list')]: isGet
      ? { get: { parameters: createListParameters(plan, names), ...list } }
      : { post: { ...body(object(listed)), ...list } },
    ...(shape.update === 'none'
      ? {}
      : { [method('update')]: { post: { ...createUpdate(plan, parts), ...body(change) } } }),
    ...(shape.action === 'none' ? {} : { [method(names.verb)]: { post: { ...keyed, ...createAction(plan, parts) } } }),
    ...(names.back === undefined
      ? {}
      : { [method(names.back.verb)]: { post: { ...keyed, ...createAction(plan, parts) } } }),
    [method('delete')]: { post: { ...keyed, ...createRemove(plan, parts) } },
  };
}

function createHolders({ words }: Plan, { names, respond, body }: Parts): Part {
  const holder = ref(toTitle(words.holder));
  return {
    [names.holders]: {
      get: respond(200, arrayOf(holder)),
      post: { ...body(object({ name: TEXT }, 'name')), ...respond(201, holder) },
    },
    [`${names.holders}/{${names.holderId}}`]: { ...inPath(names.holderId), get: respond(200, holder) },
  };
}

const createTask = ({ taskId }: Names, id = taskId): Part =>
  object(
    {
      [id]: INTEGER,
      status: { type: 'string', enum: ['failed', 'queued', 'running', 'succeeded'] },
    },
    id,
    'status',
  );

function createTasks({ words }: Plan, { names, respond }: Parts): Part {
  const task = ref(`${toTitle(words.task)}Info`);
  const { taskOwnId } = names;
  return {
    [names.tasks]: { get: respond(200, arrayOf(task)) },
    [`${names.tasks}/{${taskOwnId}}`]: { ...inPath(taskOwnId, INTEGER), get: respond(200, task) },
  };
}
