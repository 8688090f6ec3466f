import { isObject, readMember } from '../../base/json.js';
import type { Cassette, StoredExchange } from '../../features/recording/cassette/cassette.js';
import { createManifest } from '../../features/recording/cassette/manifest.js';
import { promote, type Promoted, type PromotedItem } from '../../features/recording/promote/promote.js';
import type { Resource } from '../../resources/item/resource.js';
import type { Break } from './check.js';
import { type FixtureParts, toSoundFixtures } from './cassette-fixtures.js';
import { findTargets, type StubTarget } from './operations.js';
import { type ItemList, type OldMock, readText, type Remark, type Stub } from './stub.js';

/** The fixtures of an old mock, and what is to be said about its items. */
interface ImportedItems {
  readonly files: ReturnType<typeof toSoundFixtures>['files'];
  readonly breaks: readonly Break[];
  readonly remarks: readonly Remark[];
}

/** Makes fixtures of the lists of an old mock and of the items that its static answers show. */
export async function toItems(
  { stubs, lists }: Pick<OldMock, 'stubs' | 'lists'>,
  parts: FixtureParts & { readonly prefix: string },
): Promise<ImportedItems> {
  const breaks: Break[] = [];
  const remarks: Remark[] = [];
  const places = new Map<string, string>();
  const collections = new Map(promoteStubs(stubs, parts).collections);
  for (const list of lists) {
    const resource = findResource(list, parts);
    if (resource === undefined) {
      const message = `no list in the contract has the path ${list.path}`;
      breaks.push({ at: list.at, stub: list.path, code: 'PATH_UNKNOWN', in: 'path', pointer: '', message });
      continue;
    }
    places.set(resource.name, list.at);
    breaks.push(...checkItems(list, resource, parts));
    collections.set(
      resource.name,
      list.items.flatMap((item) => toPromoted(item, resource)),
    );
  }
  const { files, skipped } = toSoundFixtures({ collections, created: new Map() }, parts);
  for (const { collection, id, why } of skipped) {
    const hint = 'correct it in the old mock and import again, or add it to the fixtures by hand';
    const what = id === '*' ? collection : `${collection} ${id}`;
    remarks.push({ at: places.get(collection) ?? 'fixtures', what, why: `not in the fixtures: ${why}`, hint });
  }
  const filled = files.filter(({ content }) => !/"items": \[\]/.test(String(content)));
  return { files: filled, breaks, remarks };
}

/** The collection of a list: the one with its path, with or without base path, or with its name. */
function findResource(
  { path }: ItemList,
  { resources, contract, prefix }: FixtureParts & { readonly prefix: string },
): Resource | undefined {
  const bases = new Set([prefix, ...contract.operations.flatMap(({ basePaths }) => basePaths)]);
  const own = [...bases].flatMap((base) => (path.startsWith(`${base}/`) ? [path.slice(base.length)] : []));
  const all = [...resources.collections.values()];
  const toShape = (text: string): string => text.replaceAll(/\{[^}]*\}|:[^/]+/g, '{}').replace(/\/$/, '');
  const byPath = all.find((each) => own.some((text) => toShape(each.path) === toShape(text)));
  return byPath ?? all.find(({ name, parents }) => parents.length === 0 && name === path.split('/').at(-1));
}

function checkItems(
  { at, path, items }: ItemList,
  { schema }: Resource,
  { validators }: FixtureParts,
): readonly Break[] {
  if (schema === undefined) return [];
  const check = validators.check(schema, 'response');
  return items.flatMap((item, i) =>
    check(item, 'body').map(({ code, pointer, message }): Break => {
      return { at, stub: `${path} [${i}]`, code, in: 'body', pointer: `/${i}${pointer}`, message };
    }),
  );
}

function toPromoted(item: unknown, { idProperty = 'id' }: Resource): readonly PromotedItem[] {
  if (!isObject(item)) return [];
  const id = readMember(item, idProperty);
  return [{ id: readText(id) ?? '*', item, parents: {}, content: undefined, idOnly: false }];
}

/** The items that the static answers to reads and lists show. */
function promoteStubs(stubs: readonly Stub[], parts: FixtureParts & { readonly prefix: string }): Promoted {
  const { contract, resources, prefix } = parts;
  const exchanges = stubs
    .filter(isStatic)
    .flatMap((stub) => findTargets(contract, stub, prefix).flatMap((target) => toExchange(stub, target, parts)));
  const numbered = exchanges.map((exchange, i) => ({ ...exchange, number: i + 1 }));
  const manifest = createManifest(contract, { upstream: '' });
  const cassette: Cassette = { name: 'import', folder: '', manifest, exchanges: numbered, mistakes: [] };
  return promote(cassette, { ...resources, moment: 'initial', isNewestFirst: () => false });
}

/** Whether every request gets the answer, so that it shows what is there. */
function isStatic(stub: Stub): boolean {
  const { query, header, cookie, body, needs, call, probability, answers } = stub;
  const isFree = [query, header, cookie].every((each) => Object.keys(each).length === 0);
  const hasNoCondition = [body, needs, call, probability].every((each) => each === undefined);
  const [answer, ...others] = answers;
  const isJson = answer?.body.kind === 'json' && !answer.isTemplate && answer.fault === undefined;
  return isFree && hasNoCondition && others.length === 0 && isJson && answer.status >= 200 && answer.status < 300;
}

function toExchange(
  stub: Stub,
  { operation, path, names }: StubTarget,
  { resources }: FixtureParts,
): readonly StoredExchange[] {
  const binding = resources.bindings.get(operation.id);
  const [answer] = stub.answers;
  if (operation.method !== 'GET' || binding === undefined || answer?.body.kind !== 'json') return [];
  const own = Object.entries(stub.parameters).map(([name, value]): [string, unknown] => [
    names.get(name) ?? name,
    value,
  ]);
  const pathParams = Object.fromEntries(
    Object.entries({ ...path, ...Object.fromEntries(own) }).filter(([, value]) => typeof value !== 'object'),
  );
  const needed = binding.parents.flatMap(({ parameters }) => parameters);
  // An item below any parent is below none in particular.
  if (needed.some((name) => pathParams[name] === undefined)) return [];
  const request = { method: 'GET', path: stub.path.text, pathParams, query: {}, headers: {} };
  const response = { status: answer.status, headers: answer.headers, body: answer.body.value };
  const about = { number: 0, recordedAt: '', elapsedMs: 0, failure: undefined, file: stub.at };
  return [{ ...about, operation: operation.id, request, response }];
}
