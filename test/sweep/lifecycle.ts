import { isObject, type SchemaObject } from '../../src/contract/json.js';
import type { Contract } from '../../src/contract/contract.js';
import type { MediaType, Operation, Parameter } from '../../src/contract/operations/operation.js';
import { findSuccessMedia } from '../../src/contract/operations/responses.js';
import type { Generator } from '../../src/generate/generate.js';
import { memoize, memoizeText } from '../../src/memoize.js';
import type { Mock } from '../../src/index.js';
import type { Validators } from '../../src/schema/validate.js';
import { toPointer } from '../../src/contract/pointer.js';
import { draftRequest, type RequestDraft, toRequest } from '../../src/server/control/sample-request.js';
import { openMock, readSchemas, type SweepOptions } from './open-mock.js';

/** One resource as the paths of a document show it, without the inference of the engine. */
interface Candidate {
  readonly name: string;
  readonly create: Operation;
  readonly read: Operation;
  readonly lists: readonly Operation[];
  readonly update: Operation | undefined;
  readonly remove: Operation | undefined;
  /** The last parameters of the item's path, which are its id. */
  readonly parameters: readonly string[];
}

/** The result for one resource: the steps that succeeded, and the first failure. */
export interface ResourceReport {
  readonly resource: string;
  readonly steps: readonly string[];
  readonly failure: string | undefined;
}

type Json = unknown;

/**
 * Creates, reads, lists, updates and removes one item of every resource of a document, and walks the pages of its list.
 *
 * It reads the document itself: a resource is a path with POST and the path of one item with GET.
 */
export async function sweepLifecycles(spec: string, options: SweepOptions = {}): Promise<readonly ResourceReport[]> {
  const mock = await openMock(spec, options);
  try {
    const { candidates, parents } = readCandidates(mock.contract);
    const reports: ResourceReport[] = [];
    const isClosed = typeof options.state === 'object' && options.state.unknownIds === 'not-found';
    const schemas = readSchemas(mock);
    const drafts = createDrafts(mock.contract, { candidates, isClosed, schemas });
    for (const candidate of candidates) {
      mock.reset();
      reports.push(await createLife(mock, { parents, candidate, drafts, isClosed, schemas }).run());
    }
    return reports;
  } finally {
    await mock.close();
  }
}

/** The resources of a document, for all sweeps of it, and with the items that a PUT may create. */
const readCandidates = memoize(
  (contract: Contract) => ({
    candidates: findCandidates(contract, isDeclaredUpsert),
    parents: findCandidates(contract, () => true),
  }),
  4,
);

/** Checks and generates the values of requests. */
interface Schemas {
  readonly validators: Validators;
  readonly generator: Generator;
}

/** A path without a fashion: no `.json`, no trailing slash, parameters replaced by `{}`. */
function toKey(path: string): string {
  return path
    .replace(/[?#].*$/, '')
    .replace(/\.(json|xml)$/i, '')
    .replace(/(?<=.)\/$/, '')
    .replaceAll(/\{[^}]*\}/g, '{}');
}

/** The parameters of a path, in order. */
function readParameters(path: string): readonly string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}

type Methods = ReadonlyMap<string, Operation>;

/** The resources of a document: each path of one item that can be read, with the operation that creates what it reads. */
function findCandidates(contract: Contract, isUpsert: (put: Operation) => boolean): readonly Candidate[] {
  const byKey = new Map<string, Map<string, Operation>>();
  for (const operation of contract.operations) {
    const key = toKey(operation.path);
    const methods = byKey.get(key) ?? new Map<string, Operation>();
    byKey.set(key, methods);
    if (!methods.has(operation.method)) methods.set(operation.method, operation);
  }
  return [...byKey].flatMap(([itemKey, methods]): readonly Candidate[] => {
    const read = methods.get('GET');
    const collectionKey = itemKey.replace(/(\/\{\})+$/, '');
    const noun = collectionKey.split('/').at(-1) ?? '';
    if (read === undefined || collectionKey === itemKey || noun === '' || isListAnswer(contract, read)) return [];
    const here = byKey.get(collectionKey);
    // `/gists/{id}/{version}` reads a version of what `/gists/{id}` reads.
    const whole = itemKey === `${collectionKey}/{}` ? undefined : byKey.get(`${collectionKey}/{}`)?.get('GET');
    if (whole !== undefined && !isListAnswer(contract, whole)) return [];
    const created = findCreate(contract, byKey, { read, methods, collectionKey, isUpsert });
    if (created === undefined || !isPlain(created.create)) return [];
    const lists = [here?.get('GET'), created.list].filter((each) => each !== undefined);
    const isOwnPath = created.create.path === read.path;
    return [
      {
        name: collectionKey,
        create: created.create,
        read,
        lists: [...new Set(lists)].filter((each) => isListAnswer(contract, each)),
        update: methods.get('PATCH') ?? (isOwnPath ? undefined : methods.get('PUT')) ?? methods.get('POST'),
        remove: methods.get('DELETE'),
        parameters: readParameters(read.path).slice(-itemKey.slice(collectionKey.length).split('/').length + 1),
      },
    ];
  });
}

/** The operation that creates what a path reads, and a list beside it. */
function findCreate(
  contract: Contract,
  byKey: ReadonlyMap<string, Methods>,
  of: {
    readonly read: Operation;
    readonly methods: Methods;
    readonly collectionKey: string;
    readonly isUpsert: (put: Operation) => boolean;
  },
): { readonly create: Operation; readonly list: Operation | undefined } | undefined {
  const { read, methods, collectionKey } = of;
  const here = byKey.get(collectionKey);
  const own = here?.get('POST');
  if (own !== undefined) return { create: own, list: undefined };
  // `/users/{}/playlists` creates what `/playlists/{}` reads.
  for (const [key, each] of byKey) {
    const create = each.get('POST');
    if (key === collectionKey || create === undefined || byKey.has(`${key}/{}`)) continue;
    const nouns = [key, collectionKey].map((path) => path.split('/').at(-1));
    if (nouns[0] !== nouns[1] || isListAnswer(contract, create) || !isSameAnswer(contract, create, read)) continue;
    // The items above are those of the create; the path of the item has some of them.
    return { create, list: each.get('GET') };
  }
  const put = methods.get('PUT');
  const isRead = here?.has('GET') === true && findSuccessMedia(read) !== undefined;
  return put !== undefined && isRead && of.isUpsert(put) ? { create: put, list: undefined } : undefined;
}

/** Whether a PUT declares that it creates the item that its path names; other PUTs of items that no POST creates may do so as well. */
function isDeclaredUpsert(put: Operation): boolean {
  return put.responses.some(({ status }) => status === '201');
}

/** Whether two operations answer with the same item: the same schema, or the same properties. */
function isSameAnswer(contract: Contract, one: Operation, other: Operation): boolean {
  const [a, b] = [findSuccessMedia(one), findSuccessMedia(other)];
  if (a?.schema === undefined || b?.schema === undefined) return false;
  if (contract.resolve(a.schema, a.schemaPointer).pointer === contract.resolve(b.schema, b.schemaPointer).pointer)
    return true;
  const [here, there] = [a, b].map(
    (media) => new Set(readNames(contract, media.schemaPointer, 1).map(({ name }) => name)),
  );
  const shared = [...(here ?? [])].filter((name) => there?.has(name)).length;
  return shared > 2 && shared === here?.size && shared === there?.size;
}

/** Whether an operation takes and gives what this measure can read: JSON or forms. */
function isPlain(operation: Operation): boolean {
  const content = operation.body?.content ?? [];
  return content.length === 0 || content.some(({ type }) => /json|urlencoded|multipart/.test(type));
}

function readAnswerSchema(contract: Contract, operation: Operation): readonly SchemaObject[] {
  const media = findSuccessMedia(operation);
  return media?.schema === undefined ? [] : flatten(contract, media.schemaPointer).map(({ schema }) => schema);
}

/** A schema with the parts of its `allOf`, `anyOf` and `oneOf`. */
function flatten(
  contract: Contract,
  pointer: string,
  depth = 0,
): readonly { readonly schema: SchemaObject; readonly pointer: string }[] {
  const start = contract.at(pointer);
  if (!isObject(start) || depth > 6) return [];
  const { schema, pointer: target } = contract.resolve(start, pointer);
  if (!isObject(schema)) return [];
  const parts = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((keyword) =>
    (schema[keyword] ?? []).flatMap((_, i) => flatten(contract, `${target}/${keyword}/${i}`, depth + 1)),
  );
  // `contract.resolve` gives schemas.
  return [{ schema, pointer: target }, ...parts];
}

/** Whether a success is a list: an array, or an object with an array of objects and no id of its own. */
function isListAnswer(contract: Contract, operation: Operation): boolean {
  return listAnswersOf(contract)(operation);
}

const listAnswersOf = memoize(
  (contract: Contract) => memoize((operation: Operation) => decideListAnswer(contract, operation)),
  4,
);

function decideListAnswer(contract: Contract, operation: Operation): boolean {
  const media = findSuccessMedia(operation);
  if (media?.schema === undefined) return false;
  const names = readNames(contract, media.schemaPointer, 2);
  const parts = readAnswerSchema(contract, operation);
  if (parts.some(({ type, items }) => type === 'array' || (items !== undefined && type === undefined))) return true;
  const hasArray = names.some(({ isArray, depth }) => isArray && depth <= 2);
  const hasId = names.some(({ name, depth }) => depth === 1 && /^(id|pk|uuid|sid|gid)$|_id$/i.test(name));
  const isPaged = names.some(
    ({ name, depth }) =>
      depth === 1 &&
      /^(next|has_?more|total.*|count|meta|links|_links|paging|pagination|page|.*cursor.*|.*token|next_.*|result_info|value|items|data|results|_embedded)$/i.test(
        name,
      ),
  );
  const members = names.filter(({ depth }) => depth === 1);
  return hasArray && !hasId && (isPaged || members.length === 1);
}

interface DeclaredName {
  readonly name: string;
  readonly depth: number;
  readonly isArray: boolean;
}

/** The property names that a schema declares, down to a depth. */
// oxlint-disable-next-line max-params -- the last two are its own
function readNames(
  contract: Contract,
  pointer: string,
  most: number,
  depth = 1,
  above: ReadonlySet<string> = new Set(),
): readonly DeclaredName[] {
  if (depth > most) return [];
  const start = contract.at(pointer);
  if (!isObject(start)) return [];
  const { schema, pointer: target } = contract.resolve(start, pointer);
  // Items of a recursive list are items of the same depth again.
  if (!isObject(schema) || above.has(target)) return [];
  const within = new Set(above).add(target);
  const own = Object.keys(schema.properties ?? {}).flatMap((name): readonly DeclaredName[] => {
    const inner = `${target}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const isArray = flatten(contract, inner).some(
      ({ schema: { type, items } }) => type === 'array' || items !== undefined,
    );
    const own: DeclaredName = { name, depth, isArray };
    return [own].concat(readNames(contract, inner, most, depth + 1));
  });
  const parts = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((keyword) =>
    (schema[keyword] ?? []).flatMap((_, i) => readNames(contract, `${target}/${keyword}/${i}`, most, depth, within)),
  );
  const items = schema.items === undefined ? [] : readNames(contract, `${target}/items`, most, depth, within);
  return [...own, ...parts, ...items];
}

interface Reply {
  readonly status: number;
  readonly body: Json;
  readonly headers: Headers;
}

/** A string that was sent, and the bare name of the property it was sent in. */
interface Sent {
  readonly name: string;
  readonly value: string;
  /** The property names from the root of the body, the own one last. */
  readonly path: readonly string[];
  /** Whether the body has only one member, which may wrap the item. */
  readonly isWrapped: boolean;
}

/** What a create answered, and what it was sent. */
interface Made {
  readonly reply: Reply;
  readonly sent: readonly Sent[];
  /** The whole body of the request. */
  readonly body: Json;
  readonly parents: readonly unknown[];
  /** The id in the path of a PUT that creates. */
  readonly chosen: FoundId | undefined;
}

/** A value of a body that names an item of another resource. */
interface Reference {
  readonly name: string;
  readonly path: readonly string[];
  /** The resources of that noun, the one nearest to the root first. */
  readonly others: readonly Candidate[];
  /** Whether the body is valid without it. */
  isOptional(): boolean;
}

/** Requests as the document declares them, each made once. */
interface Drafts {
  request(operation: Operation): RequestDraft;
  /** A body with all its properties; undefined where it is not JSON or a form. */
  body(operation: Operation): { readonly media: MediaType; readonly value: unknown } | undefined;
  references(operation: Operation): readonly Reference[];
  /** The properties of the schema at a pointer that take any text. */
  texts(schemaPointer: string): ReturnType<typeof findTexts>;
}

function createDrafts(
  contract: Contract,
  of: { readonly candidates: readonly Candidate[]; readonly isClosed: boolean; readonly schemas: Schemas },
): Drafts {
  const { candidates, isClosed } = of;
  const { validators, generator } = of.schemas;
  const body = memoize((operation: Operation) => {
    const content = operation.body?.content ?? [];
    const media = content.find(({ type }) => /json/.test(type)) ?? content.find(({ type }) => /urlencoded/.test(type));
    if (media?.schema === undefined) return undefined;
    const value = generator.value(media.schemaPointer, {
      seed: 1,
      key: `lifecycle ${operation.id}`,
      direction: 'request',
      now: Date.UTC(2026, 0, 1),
    });
    return { media, value };
  });

  /** Where only created ids are known: the values of a body that name other resources, also inside of objects and arrays. */
  const listReferences = (operation: Operation): readonly Reference[] => {
    const { media, value } = (isClosed ? body(operation) : undefined) ?? {};
    if (media === undefined) return [];
    const answer = findSuccessMedia(operation)?.schemaPointer;
    return findValues(value, [], true).flatMap(({ name, path }): readonly Reference[] => {
      // An object that only has an id names another item.
      const holder = path.at(-2) ?? '';
      const noun = bare(name === 'id' || /^\d+$/.test(name) ? holder : name).replace(/ids?$/, '');
      const shown = answer === undefined ? [] : findShown(answer, path);
      const others = shown.length > 0 ? shown : findByNoun(noun.replace(/s$/, ''));
      const isOptional = (): boolean => {
        const without = replaceAt(value, path, undefined);
        return validators.check(media.schemaPointer, 'request')(without, 'body').length === 0;
      };
      return others.length === 0 ? [] : [{ name, path, others, isOptional }];
    });
  };

  /** The resources that an answer can show in place of the string at a path. */
  const findShown = (pointer: string, path: readonly string[]): readonly Candidate[] => {
    const [name, ...rest] = path.filter((each) => !/^\d+$/.test(each));
    const parts = flatten(contract, pointer);
    const pointers = parts.flatMap(({ pointer: own, schema }) =>
      name !== undefined && schema.properties?.[name] !== undefined ? [own + toPointer('properties', name)] : [],
    );
    if (name === undefined) {
      const reads = (each: Candidate): string | undefined => {
        const media = findSuccessMedia(each.read);
        return media?.schema === undefined ? undefined : contract.resolve(media.schema, media.schemaPointer).pointer;
      };
      const isString = parts.some(({ schema: { type } }) => type === 'string');
      return isString ? candidates.filter((each) => parts.some(({ pointer: own }) => own === reads(each))) : [];
    }
    // Arrays are shown as they are, or as lists in objects.
    return pointers.flatMap((each) => {
      const inner = flatten(contract, each).flatMap(({ pointer: own, schema }) => {
        if (schema.items !== undefined) return [`${own}/items`];
        return schema.properties?.['data'] === undefined ? [] : [`${own}/properties/data/items`];
      });
      return [each, ...inner].flatMap((next) => findShown(next, rest));
    });
  };

  /** The resources with a noun, the one nearest to the root first. */
  const findByNoun = (noun: string): readonly Candidate[] => {
    const found = candidates.filter((each) => readNoun(each.name) === noun);
    return found.toSorted((a, b) => a.name.split('{').length - b.name.split('{').length);
  };

  return {
    request: memoize((operation) => draftRequest(contract, generator, operation)),
    body,
    references: memoize(listReferences),
    texts: memoize((schemaPointer) => findTexts(contract, schemaPointer)),
  };
}

/** The items that others refer to, or are below of, by resource and the ids above. */
type Others = Map<string, FoundId>;

interface Life {
  run(): Promise<ResourceReport>;
}

function createLife(
  mock: Mock,
  of: {
    /** All resources, and the items that may be created by a PUT. */
    readonly parents: readonly Candidate[];
    readonly candidate: Candidate;
    readonly drafts: Drafts;
    readonly isClosed: boolean;
    readonly schemas: Schemas;
  },
): Life {
  const { contract } = mock;
  const { candidate, drafts, isClosed } = of;
  const { validators } = of.schemas;
  const steps: string[] = [];
  let counter = 0;
  /** The answers to the create and to the read of the new item. */
  let created: readonly Json[] = [];
  const ofLife: Others = new Map();

  const send = async (
    operation: Operation,
    change: Partial<Pick<RequestDraft, 'path' | 'query' | 'body'>>,
  ): Promise<Reply> => {
    const draft = drafts.request(operation);
    const request = toRequest({
      ...draft,
      ...change,
      path: { ...draft.path, ...change.path },
      query: { ...draft.query, ...change.query },
    });
    if (operation.method === 'GET') request.headers.set('accept', 'application/json, */*;q=0.1');
    // RFC 9110 13.1.1: any version of an item that exists.
    if (request.headers.has('if-match')) request.headers.set('if-match', '*');
    const response = await mock.fetch(request);
    const text = await response.text();
    return { status: response.status, body: toJson(text), headers: response.headers };
  };

  /** The body of a request with a new string in each free text property, and those strings. */
  const draftBody = (
    operation: Operation,
    except: readonly (string | undefined)[] = [],
    {
      fixed = [],
      references = [],
      own = new Map(),
    }: {
      readonly fixed?: readonly Found[];
      readonly references?: readonly Found[];
      /** By bare name, the parts of the id of the item that an update is for. */
      readonly own?: ReadonlyMap<string, string | number | undefined>;
    } = {},
  ): { readonly body: RequestDraft['body']; readonly sent: readonly Sent[] } => {
    const draft = drafts.body(operation);
    if (draft === undefined) return { body: undefined, sent: [] };
    const { media, value } = draft;
    const sent: Sent[] = [];
    const check = validators.check(media.schemaPointer, 'request');
    const names = new Set(except.map((each) => bare(each ?? '')));
    let marked = structuredClone(value);
    for (const each of isObject(value) ? Object.keys(value) : []) {
      if (!names.has(bare(each)) || !isObject(marked)) continue;
      const { [each]: _, ...others } = marked;
      // What is required stays.
      if (check(others, 'body').length === 0) marked = others;
    }
    marked = keepId(marked, own, check);
    const texts = drafts.texts(media.schemaPointer);
    for (const { path, name, value: id } of references) {
      const changed = [id, Number(id)].map((each) => (id === undefined ? undefined : replaceAt(marked, path, each)));
      const next = [...changed, replaceAt(marked, path, undefined)].find(
        (each) => each !== undefined && check(each, 'body').length === 0,
      );
      if (next === undefined) continue;
      marked = next;
      names.add(bare(name));
      const isText = texts.some((each) => each.path.join('.') === path.join('.')) && next === changed[0];
      if (isText)
        sent.push({ name, value: String(id), path, isWrapped: isObject(next) && Object.keys(next).length === 1 });
    }
    for (const { path, name } of texts) {
      if (names.has(bare(readOwnName(path)))) continue;
      const same = fixed.find((each) => bare(each.path.join('')) === bare(path.join('')))?.value;
      if (same === undefined) counter += 1;
      const text = typeof same === 'string' ? same : `vouch ${counter}`;
      const next = setAt(marked, path, text);
      if (next === undefined || check(next, 'body').length > 0) continue;
      marked = next;
      sent.push({ name, value: text, path, isWrapped: isObject(marked) && Object.keys(marked).length === 1 });
    }
    return { body: { media, value: marked }, sent };
  };

  const createItem = async (
    of: Candidate,
    depth: number,
    given: { readonly above?: readonly unknown[]; readonly fixed?: readonly Found[]; readonly others?: Others } = {},
  ): Promise<Made | string> => {
    const { above, fixed, others = ofLife } = given;
    const isUpsert = of.create.path === of.read.path;
    const count = readParameters(of.create.path).length - (isUpsert ? of.parameters.length : 0);
    const parents = above?.length === count ? above : await createParents(of.create, { of, depth, count, others });
    const references = await createReferences(of.create, { owner: of, depth, given: fixed, others });
    // The path has the id, or those of the parents.
    const own = isUpsert ? ['id', ...(/name$/i.test(of.parameters.at(-1) ?? '') ? ['name'] : [])] : [];
    const except = [...readParameters(of.create.path), ...own];
    const { body, sent } = draftBody(of.create, except, { fixed: fixed ?? [], references });
    const chosen = isUpsert ? chooseId(of) : undefined;
    const path = chosen === undefined ? toPath(of.create, parents) : toPath(of.create, parents, chosen);
    const reply = await send(of.create, { path, ...(body === undefined ? {} : { body }) });
    if (reply.status >= 300) return `create answers ${reply.status} ${show(reply.body)}`;
    return { reply, sent, body: body?.value, parents, chosen };
  };

  /** The same with the ids of created items, or of those that are given. */
  const createReferences = async (
    operation: Operation,
    of: {
      readonly owner: Candidate;
      readonly depth: number;
      readonly given?: readonly Found[] | undefined;
      readonly others: Others;
    },
  ): Promise<readonly Found[]> => {
    const { owner, depth, given = [] } = of;
    const found: Found[] = [];
    for (const { name, path, others: candidates, isOptional } of drafts.references(operation)) {
      let value = given.find((each) => bare(each.path.join('')) === bare(path.join('')))?.value;
      // What is referred to has only the references that it needs.
      const isLeftOut = depth > 3 || (depth > 0 && isOptional());
      for (const other of isLeftOut ? [] : candidates.filter((each) => each !== owner).slice(0, 3)) {
        value ??= (await createOther(other, depth + 1, { others: of.others }))?.id;
      }
      found.push({ name, path, value });
    }
    return found;
  };

  /** A new id for an item that a PUT creates. */
  const chooseId = (of: Candidate): FoundId => {
    const any = drafts.request(of.create).path;
    counter += 1;
    const ids = of.parameters.map((name, i) => {
      const parameter = of.create.parameters.find((each) => each.in === 'path' && each.name === name);
      const isFree = isObject(parameter?.schema) && isFreeText(parameter.schema);
      return i === of.parameters.length - 1 && isFree ? `vouch-${counter}` : String(any[name]);
    });
    return { id: ids.at(-1) ?? '', above: ids.slice(0, -1), name: undefined };
  };

  /** The ids of the items above: each is created where the document can create it, else it is any valid value. */
  const createParents = async (
    operation: Operation,
    at: { readonly of: Candidate; readonly depth: number; readonly count: number; readonly others: Others },
  ): Promise<readonly unknown[]> => {
    const { of: below, depth, count, others } = at;
    const any = chooseParents(operation, below);
    const ids: unknown[] = [];
    const names = readParameters(operation.path).slice(0, count);
    while (ids.length < count) {
      const name = names[ids.length] ?? '';
      const before = operation.path.slice(0, operation.path.indexOf(`{${name}}`));
      const key = toKey(before).replace(/\/$/, '');
      const parent =
        of.parents.find(
          (each) =>
            each.name === key && each !== below && toKey(operation.path).startsWith(`${toKey(each.read.path)}/`),
        ) ?? (isClosed ? findSameParent(of.parents, { below, key, names: names.slice(ids.length) }) : undefined);
      const found =
        parent === undefined || depth > 4 ? undefined : await createOther(parent, depth + 1, { above: ids, others });
      ids.push(...(found === undefined ? [any[ids.length]] : [...found.above, found.id]));
    }
    return ids;
  };

  /** Any values of the path parameters of a create that are right for the read as well, which may declare them more strictly. */
  const chooseParents = (operation: Operation, { read }: Candidate): readonly unknown[] => {
    const [own, other] = [operation, read].map((each) => drafts.request(each).path);
    const strict = readParameters(read.path).map((name) => isStrictParameter(read, name));
    return readParameters(operation.path).map((name, i) => {
      const there = readParameters(read.path)[i] ?? '';
      return strict[i] === true && !isStrictParameter(operation, name) ? other?.[there] : own?.[name];
    });
  };

  /** An item that others refer to or are below of, which is created where there is none. */
  const createOther = async (
    of: Candidate,
    depth: number,
    given: { readonly above?: readonly unknown[]; readonly others: Others },
  ): Promise<FoundId | undefined> => {
    const key = JSON.stringify([of.name, given.above]);
    const known = given.others.get(key);
    if (known !== undefined) return known;
    const made = await createItem(of, depth, given);
    const found = typeof made === 'string' ? undefined : await findId(of, made);
    if (found !== undefined) given.others.set(key, found);
    return found;
  };

  const findId = async (of: Candidate, made: Made): Promise<FoundId | undefined> => {
    const parameter = of.parameters.at(-1) ?? '';
    const url = made.reply.headers.get('location')?.replace(/[?#].*$|(\.json)?\/?$/g, '');
    const location = decodeURIComponent(url?.split('/').at(-1) ?? '');
    const values = findIdValues(made.reply.body, parameter);
    const nameOf = (id: string | number): string | undefined =>
      values.find((each) => String(each.id) === String(id))?.name;
    const sentAs = findValues(made.body).filter(
      ({ name, path }) =>
        (path.length <= 2 && bare(name) === bare(parameter)) || (path.length === 1 && bare(name) === 'id'),
    );
    const last = [
      // RFC 9110 10.2.2: what was created is read there.
      ...(location === '' ? [] : [{ id: location, name: nameOf(location) }]),
      ...findUrlIds(made.reply.body, of.read).map((each) => ({ ...each, name: nameOf(each.id) ?? each.name })),
      ...values,
      ...sentAs.flatMap(({ name, value }) => (typeof value === 'string' ? [{ id: value, name }] : [])),
      ...made.sent
        .filter(({ name }) => bare(name) === bare(parameter) || /^(name|id|key|slug)$/.test(bare(name)))
        .map(({ value, name }) => ({ id: value, name })),
    ];
    const above = combine(of.parameters.slice(0, -1).map((name) => findPartsOfId(made.reply.body, name)));
    const found = [
      ...(made.chosen === undefined ? [] : [made.chosen]),
      ...above.flatMap((values) => last.slice(0, 12).map(({ id, name }): FoundId => ({ id, name, above: values }))),
    ];
    // The first of several properties with the same value is the most likely one.
    const distinct = new Map<string, FoundId>();
    for (const each of found) {
      const key = [...each.above, each.id].join('/');
      if (!distinct.has(key)) distinct.set(key, each);
    }
    for (const each of [...distinct.values()].slice(0, 96)) {
      const reply = await send(of.read, { path: toPath(of.read, made.parents, each) });
      if (
        (reply.status === 200 || reply.status === 204) &&
        isShown(drafts, of.read, made.sent, reply.body) === undefined
      ) {
        return { ...each, nameInRead: findNameOf(each, reply.body), names: findNamesOf(reply.body, each) };
      }
    }
    return undefined;
  };

  /** Whether a list shows an item; a string where it cannot be read. */
  const isListed = async (list: Operation, parents: readonly unknown[], id: FoundId): Promise<boolean | string> => {
    const limit = findParameter(list, LIMIT);
    const query = {
      ...readFirstPage(findParameter(list, POSITION)),
      ...toQuery(readFilters(list, id)),
      ...(limit === undefined ? {} : { [limit.name]: readMaximum(limit) ?? 100 }),
    };
    const reply = await send(list, { path: toPath(list, parents), query });
    if (!isSuccess(list, reply)) return `the list answers ${reply.status} ${show(reply.body)}`;
    const isHere = (each: unknown): boolean => hasId(each, id) || String(each) === String(id.id);
    return (findItems(reply.body) ?? findTextsIn(reply.body))?.some(isHere) === true;
  };

  /** The filters that every request of a list has, with values that the document allows. */
  const readFilters = (list: Operation, { id }: FoundId): readonly FoundFilter[] =>
    findFilters(list, { answers: created, id }).flatMap(({ parameter, found }): readonly FoundFilter[] => {
      const { schemaPointer } = parameter;
      // A time is compared with the beginning of a day.
      const day = /^\d{4}-\d\d-\d\d$/.test(String(found.value)) ? [`${String(found.value)}T00:00:00Z`] : [];
      const value = [found.value, [found.value], ...day].find(
        (each) => validators.check(schemaPointer, 'request')(each, 'query').length === 0,
      );
      return value === undefined ? [] : [{ parameter, found: { ...found, value } }];
    });

  const run = async (): Promise<string | undefined> => {
    const made = await createItem(candidate, 0);
    if (typeof made === 'string') return made;
    steps.push('create');
    if (!isEmpty(made.reply.body)) {
      const hidden = isShown(drafts, candidate.create, made.sent, made.reply.body);
      if (hidden !== undefined) return `create does not show ${hidden}: ${show(made.reply.body)}`;
    }
    const found = await findId(candidate, made);
    if (found === undefined) {
      return `no id of the created item can be read, or it shows other values: ${show(made.reply.body)}`;
    }
    steps.push('read');
    const { parents } = made;
    created = [made.reply.body, (await send(candidate.read, { path: toPath(candidate.read, parents, found) })).body];
    for (const list of candidate.lists) {
      const listed = await isListed(list, parents, found);
      if (listed !== true) return typeof listed === 'string' ? listed : `${list.id} does not show ${found.id}`;
      steps.push('list');
    }
    if (candidate.update !== undefined) {
      const failure = await update(candidate.update, parents, found);
      if (failure !== undefined) return failure;
      steps.push('update');
    }
    const walked = await walk(candidate, parents, found);
    if (walked !== undefined) return walked;
    return candidate.remove === undefined ? undefined : remove(candidate.remove, parents, found);
  };

  const update = async (
    operation: Operation,
    parents: readonly unknown[],
    found: FoundId,
  ): Promise<string | undefined> => {
    // New ones, so that the update changes what the item refers to.
    const references = await createReferences(operation, { owner: candidate, depth: 1, others: new Map() });
    // An update of the id itself renames the item: it is left out or, where it is required, stays as it is.
    const parts = [...found.above, found.id];
    const own = new Map([
      ...candidate.parameters.map((name, i) => [bare(name), parts[i]] as const),
      ...[found.name ?? '', ...(found.names ?? [])].flatMap((name) =>
        name === '' ? [] : [[bare(name), found.id] as const],
      ),
    ]);
    const { body, sent } = draftBody(operation, [...own.keys(), 'new_name'], { references, own });
    const reply = await send(operation, {
      path: toPath(operation, parents, found),
      ...(body === undefined ? {} : { body }),
    });
    if (reply.status >= 300) return `update answers ${reply.status} ${show(reply.body)}`;
    const again = await send(candidate.read, { path: toPath(candidate.read, parents, found) });
    if (again.status !== 200) return `read after the update answers ${again.status}`;
    const hidden = isShown(drafts, candidate.read, sent, again.body);
    return hidden === undefined ? undefined : `read does not show the update of ${hidden}: ${show(again.body)}`;
  };

  const remove = async (
    operation: Operation,
    parents: readonly unknown[],
    id: FoundId,
  ): Promise<string | undefined> => {
    const removed = await send(operation, { path: toPath(operation, parents, id) });
    // RFC 9110 9.3.5 and 15.4.4: a document can declare that another resource shows the removal.
    const isElsewhere = removed.status === 303 && !operation.responses.some(({ status }) => status.startsWith('2'));
    if (removed.status >= 300 && !isElsewhere) return `delete answers ${removed.status} ${show(removed.body)}`;
    steps.push('delete');
    const gone = await send(candidate.read, { path: toPath(candidate.read, parents, id) });
    const isMarked = findValues(gone.body).some(
      ({ name, value, path }) =>
        (value === true && /^(is_?)?(deleted|archived|removed|trashed)$/i.test(name)) ||
        (path.length === 1 && /^(status|state)$/i.test(name) && /^(delet|remov)(ed|ing)$/i.test(String(value))) ||
        // A DELETE that cancels: `DELETE /subscriptions/{id}`.
        (isCancel(contract, operation) && path.length === 1 && isEnded(name, value)),
    );
    if (gone.status < 400 && !isMarked) return `read after delete answers ${gone.status} ${show(gone.body)}`;
    for (const list of candidate.lists) {
      if ((await isListed(list, parents, id)) === true && !isMarked) return `${list.id} still shows ${id.id}`;
    }
    steps.push('gone');
    return undefined;
  };

  /** The ids of four new items that differ; none where the API does not create four: a create that names its item may refuse the same name twice. */
  const createFour = async (
    of: Candidate,
    toGiven: () => NonNullable<Parameters<typeof createItem>[2]>,
  ): Promise<readonly FoundId[]> => {
    const ids: FoundId[] = [];
    for (let i = 0; i < 4; i++) {
      const next = await createItem(of, 0, toGiven());
      if (typeof next === 'string') return [];
      const found = await findId(of, next);
      if (found !== undefined && !ids.some(({ id }) => id === found.id)) ids.push(found);
    }
    return ids;
  };

  /** Creates items until there are three pages, and reads them: each one has to be on exactly one page. */
  const walk = async (of: Candidate, parents: readonly unknown[], own: FoundId): Promise<string | undefined> => {
    const list = of.lists[0];
    const limit = list === undefined ? undefined : findParameter(list, LIMIT);
    const position = list === undefined ? undefined : findParameter(list, POSITION);
    if (list === undefined || limit === undefined || (readMinimum(limit) ?? 1) > 2) return undefined;
    // All items match the filters of the list.
    const filters = readFilters(list, own);
    const fixed = filters.map(({ found }) => found);
    // Items are the same where what they refer to is: then each needs others.
    let ids = await createFour(of, () => ({ above: parents, fixed }));
    if (ids.length < 3) ids = await createFour(of, () => ({ above: parents, fixed, others: new Map() }));
    // Some creates refer to an item by an id, which is the same each time.
    if (ids.length < 3) return undefined;
    const seen: string[] = [];
    const mark = (elements: readonly unknown[]): void => {
      seen.push(...ids.filter((id) => elements.some((each) => hasId(each, id))).map(({ id }) => String(id)));
    };
    const first = { ...readFirstPage(position), ...toQuery(filters), [limit.name]: 2 };
    let query: Record<string, unknown> = first;
    for (let page = 0; page < 30; page++) {
      const reply = await send(list, { path: toPath(list, parents), query });
      if (!isSuccess(list, reply)) return `page ${page + 1} answers ${reply.status} ${show(reply.body)}`;
      const elements = findItems(reply.body) ?? [];
      if (elements.length > 2) return `a page of 2 shows ${elements.length} items`;
      const next = readNext(reply, { position, page, limit: 2, found: countItems(reply.body) });
      if (next === undefined && page === 0 && position === undefined && !declaresNext(contract, list)) {
        // Without another page, a limit shows the beginning of the list, and a larger one all of it.
        query = { ...first, [limit.name]: readMaximum(limit) ?? 100 };
        mark(findItems((await send(list, { path: toPath(list, parents), query })).body) ?? []);
        break;
      }
      mark(elements);
      if (next === undefined) break;
      query = { ...first, ...next };
    }
    const missing = ids.map(({ id }) => String(id)).filter((id) => !seen.includes(id));
    if (missing.length > 0) return `${missing.length} of ${ids.length} items are on no page: ${missing.join(', ')}`;
    if (new Set(seen).size !== seen.length) return 'an item is on two pages';
    steps.push('pages');
    return undefined;
  };

  return { run: async () => ({ resource: candidate.name, steps, failure: await run() }) };
}

const LIMIT =
  /^(limit|per_?page|page_?size|size|count|max[-_]?(results|items)|take|top|\$top|first|page\[(size|limit)\])$/i;

/** Positions that are numbers: of a page, and of an item. */
const PAGE = /^(current_?page|page(_?(number|no))?|page\[number\])$/i;
const OFFSET = /^(offset|page\[offset\]|skip|\$skip|start|start_?(at|index)|limit_?start)$/i;

const POSITION = new RegExp(
  `${PAGE.source}|${OFFSET.source}|^(after|starting_?after|cursor|page\\[(cursor|after)\\]|iterator|marker|continue|page_?token|(next|starting)[-_]?token|next_?cursor|token)$`,
  'i',
);

function findParameter(operation: Operation, pattern: RegExp): Parameter | undefined {
  return operation.parameters.find((each) => each.in === 'query' && pattern.test(each.name));
}

/** Whether a list answers with 200, or with the only success that it declares. */
function isSuccess(list: Operation, { status }: Reply): boolean {
  const declared = list.responses.filter((each) => /^2\d\d$/.test(each.status)).map((each) => each.status);
  return status === 200 || (declared.length === 1 && declared[0] === String(status));
}

/** The array of strings that a list of ids is, or has. */
function findTextsIn(body: Json): readonly unknown[] | undefined {
  const arrays = [body, ...(isObject(body) ? Object.values(body) : [])].filter((each) => Array.isArray(each));
  return arrays.find((each) => each.every((one) => typeof one === 'string'));
}

/** Whether the answer of a list declares the URL or the token of the next page. */
function declaresNext(contract: Contract, list: Operation): boolean {
  if (list.responses.some(({ headers }) => headers.some(({ name }) => /^link$/i.test(name)))) return true;
  const media = findSuccessMedia(list);
  return (
    media?.schema !== undefined && readNames(contract, media.schemaPointer, 3).some(({ name }) => /^next/i.test(name))
  );
}

/** A parameter of a list and the value of an item that it is compared with. */
interface FoundFilter {
  readonly parameter: Parameter;
  readonly found: Found;
}

/**
 * The filters that every request of a list has, required or by default, as an item matches them: `x_id` is that of `x: { id }`, and so is
 * `x`.
 */
function findFilters(
  list: Operation,
  { answers, id }: { readonly answers: readonly Json[]; readonly id: string | number },
): readonly FoundFilter[] {
  const values = answers.flatMap((answer) => {
    // The item can be in an envelope.
    const inner = isObject(answer)
      ? Object.entries(answer).find(([, each]) => isObject(each) && hasValue(each, id))
      : [];
    const isWrapped = inner?.[0] !== undefined && !hasValue(answer, id);
    const known = findValues(answer).filter(({ value }) => value !== null);
    return known.map((found) => ({ found, own: isWrapped ? found.path.slice(1) : found.path }));
  });
  return list.parameters.flatMap((parameter): readonly FoundFilter[] => {
    const { name, in: place, required, schema } = parameter;
    const by = isObject(schema) && schema['enum'] !== undefined ? schema['default'] : undefined;
    const hasDefault = by !== undefined && !['all', 'any'].some((each) => each === by);
    if (place !== 'query' || !(required || hasDefault)) return [];
    const wanted = bare(name);
    const same =
      values.find(({ own }) => bare(own.join('')) === wanted) ??
      values.find(({ own }) => /^(id|gid|uuid)$/i.test(own.at(-1) ?? '') && bare(own.slice(0, -1).join('')) === wanted);
    return same === undefined ? [] : [{ parameter, found: same.found }];
  });
}

/** Whether a property of an object has a value. */
function hasValue(object: Json, value: string | number): boolean {
  return isObject(object) && Object.values(object).some((each) => each === value);
}

function toQuery(filters: readonly FoundFilter[]): Record<string, unknown> {
  return Object.fromEntries(filters.map(({ parameter, found }) => [parameter.name, found.value]));
}

/** Whether a path parameter takes only some strings. */
function isStrictParameter({ parameters }: Operation, name: string): boolean {
  const schema = parameters.find((each) => each.in === 'path' && each.name === name)?.schema;
  return isObject(schema) && !isFreeText(schema);
}

function readMaximum({ schema }: Parameter): number | undefined {
  return isObject(schema) && typeof schema['maximum'] === 'number' ? schema['maximum'] : undefined;
}

function readMinimum({ schema }: Parameter): number | undefined {
  return isObject(schema) && typeof schema['minimum'] === 'number' ? schema['minimum'] : undefined;
}

/** The query of the next page; undefined after the last one. */
function readNext(
  reply: Reply,
  at: {
    readonly position: Parameter | undefined;
    readonly page: number;
    readonly limit: number;
    readonly found: number;
  },
): Readonly<Record<string, unknown>> | undefined {
  const link = /<([^>]+)>;\s*rel="?next"?/.exec(reply.headers.get('link') ?? '')?.[1];
  const values = findValues(withoutArrays(reply.body));
  const url =
    link ??
    values.find(
      ({ name, value, path }) =>
        typeof value === 'string' &&
        /[?&]/.test(value) &&
        (/next/i.test(name) || path.some((each) => /next/i.test(each))),
    )?.value;
  if (typeof url === 'string') return Object.fromEntries(new URL(url, 'http://sweep.test').searchParams);
  if (at.position === undefined || at.found === 0) return undefined;
  const { name } = at.position;
  const first = readFirst(at.position);
  if (PAGE.test(name) && first !== undefined) return { [name]: first + at.page + 1 };
  if (OFFSET.test(name) && first !== undefined) return { [name]: first + (at.page + 1) * at.limit };
  const token = values.find(
    ({ name: key, value, path }) =>
      (typeof value === 'string' || typeof value === 'number') &&
      value !== '' &&
      (/^(next|next_?(page_?)?(token|cursor|marker|offset|after)?|continue|cursor|end_?cursor|last_?id)$/i.test(key) ||
        (bare(key) === bare(name) && path.length === 1) ||
        path.slice(-2, -1).some((each) => /^next/i.test(each))),
  )?.value;
  const more = values.find(({ name: key }) => /^has_?more$/i.test(key))?.value;
  const isDone = values.some(({ name: key, value, path }) => key === 'done' && path.length === 1 && value === true);
  if (token !== undefined && more !== false && !isDone) return { [name]: token };
  if (more === true) {
    const last = findLastId(reply.body);
    return last === undefined ? undefined : { [name]: last };
  }
  return undefined;
}

/** The envelope of a list without its items. */
function withoutArrays(body: Json): Json {
  if (Array.isArray(body)) return undefined;
  if (!isObject(body)) return body;
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, withoutArrays(value)]));
}

/** The first page or item of a position that is a number, also in a string: its default, else its minimum, else 1 and 0; undefined for a cursor. */
function readFirst({ name, schema, description = '' }: Parameter): number | undefined {
  if (!isObject(schema)) return undefined;
  const { type, default: by, minimum } = schema;
  const told = /\b(one|1)[- ](based|indexed)|starts? (at|from|with) (one|1)\b/i.test(description);
  const usual = PAGE.test(name) || told ? 1 : 0;
  const isCount = type === 'string' && /\bnumber of\b.*\bskip/i.test(description);
  const isNumber = type === 'integer' || type === 'number' || isCount;
  if (typeof by === 'number' || /^\d+$/.test(String(by))) return Number(by) > 1 ? usual : Number(by);
  if (!isNumber) return undefined;
  return !told && (minimum === 0 || minimum === 1) ? minimum : usual;
}

/** The query for the first page, of a list whose requests all name a page. */
function readFirstPage(position: Parameter | undefined): Record<string, unknown> {
  const first = position?.required === true ? readFirst(position) : undefined;
  return position === undefined || first === undefined ? {} : { [position.name]: first };
}

/** The items of a list: the longest array of objects that is nearest to the root. */
function findItems(body: Json): readonly unknown[] | undefined {
  let level: readonly unknown[] = [body];
  for (let depth = 0; depth < 4; depth++) {
    const arrays = level.filter((each): each is readonly unknown[] => Array.isArray(each));
    const [longest] = arrays
      .filter((each) => each.length === 0 || each.some(isObject))
      .toSorted((a, b) => b.length - a.length);
    if (longest !== undefined) return longest;
    level = level.flatMap((each) => (isObject(each) ? Object.values(each) : []));
  }
  return undefined;
}

/** Whether an element of a list has an id: in the property with the name that the id has in the item, else in one named like an id. */
function hasId(element: unknown, { id, name, nameInRead }: FoundId): boolean {
  const values = findValues(element).filter(({ path }) => path.length <= 3);
  const names = name === undefined ? [] : [bare(name), bare(nameInRead ?? name)];
  const named = values.filter((each) => names.includes(bare(each.name)));
  const found = named.length > 0 ? named : values.filter((each) => name === undefined || /id$|^pk$/i.test(each.name));
  // Objects in the element have ids of their own.
  const depth = Math.min(...found.map(({ path }) => path.length));
  // Without an id of its own, an element is identified by its own URL.
  const own = values.filter(({ path }) => path.length === 1);
  if (!own.some((each) => /id$/i.test(each.name)) && own.some((each) => isUrlOf(each, id))) return true;
  const isSame = (each: Found): boolean => String(each.value) === String(id) || isUrlOf(each, id);
  return found.some((each) => isSame(each) && each.path.length === depth);
}

/** The name of the property of an item that has its id, where it is not the one that the create answers with. */
function findNameOf({ id, name }: FoundId, item: Json): string | undefined {
  const same = findValues(item).filter(({ value }) => String(value) === String(id));
  if (same.some((each) => bare(each.name) === bare(name ?? ''))) return undefined;
  const nearest = same.toSorted((a, b) => a.path.length - b.path.length);
  return (nearest.find((each) => /id$|^pk$/i.test(each.name)) ?? nearest[0])?.name;
}

function isUrlOf({ name, value }: { readonly name: string; readonly value: unknown }, id: string | number): boolean {
  return /^(url|uri|href|self)$/.test(name) && typeof value === 'string' && value.endsWith(`/${id}`);
}

interface FoundId {
  readonly id: string | number;
  /** The parts of the id before the last one. */
  readonly above: readonly (string | number)[];
  /** The property of the create's answer; undefined where only the request or `Location` has it. */
  readonly name: string | undefined;
  /** The property of the read's answer, which can be another one. */
  readonly nameInRead?: string | undefined;
  /** The properties in which a read shows it. */
  readonly names?: readonly string[];
}

/** The properties of an item that are its id. */
function findNamesOf(body: Json, { id, name }: FoundId): readonly string[] {
  if (name !== undefined && name !== '') return [name];
  const same = findValues(body).filter(({ value, path }) => path.length <= 2 && String(value) === String(id));
  return same.flatMap((each) => (/(id|key|code|name|number|slug)$/i.test(each.name) ? [each.name] : []));
}

/** The ids in the URLs of an item that its create shows: `4` of `/teams/4` for the path `/teams/{team_id}`. */
function findUrlIds(body: Json, { path }: Operation): readonly Omit<FoundId, 'above'>[] {
  const [, word = ''] = /\/([^/{}]+)\/\{[^/{}]+\}(?:\.json)?\/?$/.exec(path) ?? [];
  return findValues(body).flatMap(({ name, value, path: at }) => {
    if (word === '' || at.length > 3 || !/^_?(url|uri|href|self)$/i.test(name) || typeof value !== 'string') return [];
    const [id, before] = value
      .replace(/[?#].*$/, '')
      .split('/')
      .toReversed();
    return before === word && id !== undefined && id !== '' ? [{ id: decodeURIComponent(id), name }] : [];
  });
}

function countItems(body: Json): number {
  return findItems(body)?.length ?? 0;
}

function findLastId(body: Json): unknown {
  const last = findItems(body)?.at(-1);
  return isObject(last) ? (last['id'] ?? last['name']) : undefined;
}

/**
 * The name of the first string that was sent, that the answer declares as a plain string, and that the answer does not show.
 *
 * Envelopes may move a property by one level.
 */
function isShown(drafts: Drafts, operation: Operation, sent: readonly Sent[], body: Json): string | undefined {
  const media = findSuccessMedia(operation);
  if (media?.schema === undefined) return undefined;
  const declared = drafts.texts(media.schemaPointer);
  const values = new Set(findValues(body).map(({ value }) => value));
  return sent
    .find(
      ({ value, path, isWrapped }) =>
        !values.has(value) &&
        path.length <= 2 &&
        declared.some(
          (each) =>
            isSameProperty(each.path, path, isWrapped) ||
            // Some bodies wrap each value, and answers do not: `name: { value }`.
            (path.length > 1 && path.at(-1) === 'value' && isSameProperty(each.path, path.slice(0, -1), false)),
        ),
    )
    ?.path.join('.');
}

/** Whether an answer declares a property that was sent: at the same path, or without the object around the item in one of them. */
function isSameProperty(declared: readonly string[], sent: readonly string[], isWrapped: boolean): boolean {
  const isEnd = (long: readonly string[], short: readonly string[]): boolean =>
    long.length - short.length <= 1 &&
    short.every((name, i) => bare(name) === bare(long.slice(-short.length)[i] ?? ''));
  return declared.length >= sent.length ? isEnd(declared, sent) : isWrapped && isEnd(sent, declared);
}

/** Path parameters from the ids of the parents, outermost first, and from the id of the item, which is the last parameter. */
function toPath(operation: Operation, parents: readonly unknown[], found?: FoundId): Record<string, unknown> {
  const names = readParameters(operation.path);
  const own = found === undefined ? [] : [...found.above, found.id];
  const values = [...parents.slice(0, names.length - own.length), ...own];
  return Object.fromEntries(names.slice(0, values.length).map((name, i) => [name, values[i]]));
}

/** The values of a body that may be the part of an id that a parameter other than the last one is: `owner.login` for `{owner}`. */
function findPartsOfId(body: Json, parameter: string): readonly (string | number)[] {
  const NAMES = ['login', 'username', 'slug', 'key', 'id', 'name'];
  const rank = (name: string): number => (NAMES.includes(name) ? NAMES.indexOf(name) : NAMES.length);
  const sorted = findValues(body).toSorted((a, b) => rank(a.name) - rank(b.name));
  const values = sorted.flatMap(({ path, value }): readonly (string | number)[] => {
    // `owner: { name }` for `{owner_name}`
    const isPart =
      path.length <= 3 &&
      (path.some((name) => bare(name) === bare(parameter)) || bare(path.slice(-2).join('')) === bare(parameter));
    return isPart && (typeof value === 'string' || typeof value === 'number') ? [value] : [];
  });
  return [...new Set(values)].slice(0, 8);
}

/** Every choice of one value of each list. */
function combine<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] {
  return lists.reduce<readonly (readonly T[])[]>(
    (chosen, list) => chosen.flatMap((each) => list.map((value) => [...each, value])),
    [[]],
  );
}

/** The values of a body that may be its id, the most likely first. */
function findIdValues(body: Json, parameter: string): readonly Omit<FoundId, 'above'>[] {
  const bareParameter = bare(parameter);
  const rank = (name: string, depth: number): number => {
    const key = bare(name);
    const order = [
      bareParameter,
      'id',
      'pk',
      'uuid',
      'sid',
      'gid',
      'uid',
      'guid',
      'key',
      'name',
      'slug',
      'number',
      'code',
    ];
    const at = order.indexOf(key);
    // `slug` for `{team_slug}`, and `token` for `{uploadToken}`.
    if (at !== 0 && key.length > (at > 0 ? 1 : 3) && bareParameter.endsWith(key)) return 0.5 + depth * 3;
    if (at >= 0) return at + depth * 3;
    return key.endsWith('id') ? 20 + depth * 3 : 40 + depth;
  };
  return findValues(body)
    .filter(
      (each): each is Found & { readonly value: string | number } =>
        (typeof each.value === 'string' && each.value.length < 200 && each.value !== '') ||
        typeof each.value === 'number',
    )
    .toSorted((a, b) => rank(a.name, a.path.length) - rank(b.name, b.path.length))
    .map(({ value, name }) => ({ id: value, name }));
}

interface Found {
  readonly name: string;
  readonly value: unknown;
  /** The property names from the root, the own one last. */
  readonly path: readonly string[];
}

/** Every scalar in a JSON value with the name of its property; where wanted, arrays are steps of a path too. */
function findValues(value: Json, path: readonly string[] = [], isExact = false): readonly Found[] {
  const found: Found[] = [];
  const visit = (each: Json, at: readonly string[]): void => {
    if (Array.isArray(each)) for (const [i, item] of each.entries()) visit(item, isExact ? at.concat(String(i)) : at);
    else if (isObject(each)) for (const name of Object.keys(each)) visit(each[name], at.concat(name));
    else found.push({ name: at.at(-1) ?? '', value: each, path: at });
  };
  visit(value, path);
  return found;
}

/** The free texts of a request schema: strings without a format, a pattern, an enum or a tight length. */
function findTexts(
  contract: Contract,
  pointer: string,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly name: string }[] {
  if (path.length > 3) return [];
  const start = contract.at(pointer);
  if (!isObject(start)) return [];
  const { schema, pointer: target } = contract.resolve(start, pointer);
  if (!isObject(schema)) return [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    const inner = `${target}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const { schema: resolved } = isObject(each) ? contract.resolve(each, inner) : { schema: each };
    if (!isObject(resolved)) return [];
    if (isFreeText(resolved)) return isReference(name) ? [] : [{ path: [...path, name], name }];
    return findTexts(contract, inner, [...path, name]);
  });
  const parts = (schema.allOf ?? []).flatMap((_, i) => findTexts(contract, `${target}/allOf/${i}`, path));
  return [...own, ...parts];
}

/** A string that refers to something else cannot be any text. */
function isReference(name: string): boolean {
  return /(_id|Id|ID|_ids|Ids|_sid|Sid|_gid|_uuid|Uuid|_type|Type|_url|Url|URL|_at|At|token|_ref|Ref)$|^(id|pk|uuid|type|cursor|etag|version|kind|apiVersion|object|after|before|limit)$/.test(
    name,
  );
}

/** Whether a DELETE cancels or disables what can be read afterwards. */
function isCancel(contract: Contract, { id, pointer, summary }: Operation): boolean {
  const description = contract.at(`${pointer}/description`);
  const text = `${id} ${summary ?? ''} ${typeof description === 'string' ? description : ''}`;
  return /\b(cancel|deactivat|disabl)/i.test(text);
}

/** Whether a property shows that its item was cancelled or disabled. */
function isEnded(name: string, value: unknown): boolean {
  if (/^(status|state)$/i.test(name)) return /^(cancell?ed|deactivated|disabled|inactive)$/i.test(String(value));
  return value === false && /^(is_?)?(active|enabled)$/i.test(name);
}

function isFreeText(schema: SchemaObject): boolean {
  return (
    schema.type === 'string' &&
    schema.readOnly !== true &&
    schema.writeOnly !== true &&
    ['enum', 'const', 'format', 'pattern', 'default', 'deprecated'].every((keyword) => !(keyword in schema)) &&
    (schema.maxLength ?? 100) >= 10
  );
}

/** A copy with another value in place of one that exists, in arrays too; without it, and without the objects that it leaves empty, for undefined. */
function replaceAt(value: Json, [name, ...rest]: readonly string[], by: unknown): Json {
  if (name === undefined) return by;
  if (!isObject(value) && !Array.isArray(value)) return value;
  const entries = Object.entries(value).flatMap(([key, each]): readonly (readonly [string, unknown])[] => {
    const next = key === name ? replaceAt(each, rest, by) : each;
    return next === undefined ? [] : [[key, next]];
  });
  if (by === undefined && entries.length === 0) return undefined;
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

/** The body of an update without the id of its item or, where it is required, with the right one; also in an object around the item. */
function keepId(
  body: Json,
  own: ReadonlyMap<string, string | number | undefined>,
  check: (value: unknown, name: 'body') => readonly unknown[],
): Json {
  const depth = isObject(body) && Object.values(body).filter(isObject).length === 1 ? 2 : 1;
  let kept = body;
  for (const { path } of findValues(body, [], true)) {
    const id = own.get(bare(readOwnName(path)));
    const steps = path.length > 1 && path.at(-1) === 'value' ? path.length - 1 : path.length;
    if (id === undefined || steps > depth) continue;
    const choices = [undefined, id, String(id), Number(id)].map((each) => replaceAt(kept, path, each));
    kept = choices.find((each) => each !== undefined && check(each, 'body').length === 0) ?? kept;
  }
  return kept;
}

/** The name of the property at a path; some bodies wrap each value: `name: { value }`. */
function readOwnName(path: readonly string[]): string {
  return (path.at(-1) === 'value' ? path.at(-2) : undefined) ?? path.at(-1) ?? '';
}

/** A copy with a value at a path whose parents exist; undefined where they do not. */
function setAt(value: Json, path: readonly string[], text: string): Json {
  const [name, ...rest] = path;
  if (name === undefined) return text;
  if (!isObject(value)) return undefined;
  const inner = rest.length === 0 ? text : setAt(value[name], rest, text);
  return inner === undefined ? undefined : { ...value, [name]: inner };
}

/** What a path names by the same parameters as the path of another resource, or by one with its noun: `/projects/{project_id}` for `/organization/projects`. */
function findSameParent(
  candidates: readonly Candidate[],
  of: { readonly below: Candidate; readonly key: string; readonly names: readonly string[] },
): Candidate | undefined {
  const noun = readNoun(of.key);
  const found = candidates.filter(
    (each) =>
      each !== of.below &&
      readNoun(each.name) === noun &&
      each.parameters.length <= of.names.length &&
      (each.parameters.length === 1 || each.parameters.every((name, i) => name === of.names[i])),
  );
  const whole = found.find((each) => each.name.endsWith(of.key));
  return whole ?? found.toSorted((a, b) => a.name.split('{').length - b.name.split('{').length)[0];
}

/** The noun of one item of a path: `customer` for `/v1/customers`. */
const readNoun = memoizeText((path) => {
  const word = path.split('/').findLast((each) => each !== '' && !each.includes('{')) ?? '';
  return bare(word).replace(/ies$/, 'y').replace(/s$/, '');
});

/** A name without its spelling, of the names that are asked for most. */
const bare = memoizeText((name) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));

function isEmpty(body: Json): boolean {
  return body === undefined || body === '';
}

function toJson(text: string): Json {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 300) ?? 'nothing';
}
