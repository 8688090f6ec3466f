import { expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { content, pathParameter, query, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, type Part, ref, TEXT, WORLDS } from '../schema-parts.js';
import { openShop } from './shop.js';
import { send } from '../send.js';

const one = (status: number, schema?: Part): Part => ({
  [status]: { description: 'done', ...(schema && { content: content(schema) }) },
});

const operation = (operationId: string, parameters: readonly string[], responses: Part, body?: Part): Part => ({
  operationId,
  parameters: parameters.map((name) => pathParameter(name)),
  responses: { ...responses, ...one(404, object({})) },
  ...(body && sends(body)),
});

const LABEL = object({ name: TEXT, color: TEXT }, 'name', 'color');
const ISSUE = ref('Issue');

/** A document with issues that have labels and tags; labels are items of their own where it says so. */
async function start(of: {
  readonly areItems: boolean;
  readonly answer?: Part;
  readonly isOpen?: boolean;
}): Promise<Mock> {
  const label = of.areItems ? ref('Label') : LABEL;
  const answer = of.answer ?? arrayOf(label);
  const named = object({ labels: arrayOf(TEXT) }, 'labels');
  const labels = {
    '/labels': {
      get: operation('listLabels', [], one(200, arrayOf(label))),
      post: operation('createLabel', [], one(201, label), label),
    },
    '/labels/{name}': { get: operation('readLabel', ['name'], one(200, label)) },
  };
  const paged = {
    ...operation('listIssueLabels', ['id'], one(200, arrayOf(label))),
    parameters: [pathParameter('id'), query('page', INTEGER), query('per_page', INTEGER)],
  };
  const spec = toDocument(
    {
      '/issues': {
        get: operation('listIssues', [], one(200, arrayOf(ISSUE))),
        post: operation('createIssue', [], one(201, ISSUE), object({ title: TEXT, labels: arrayOf(label) }, 'title')),
      },
      '/issues/{id}': { get: operation('readIssue', ['id'], one(200, ISSUE)) },
      '/issues/{id}/labels': {
        get: paged,
        post: operation('addLabels', ['id'], one(200, answer), {
          oneOf: [named, arrayOf(TEXT), arrayOf(object({ name: TEXT }, 'name'))],
        }),
        put: operation('setLabels', ['id'], one(200, answer), named),
        delete: operation('removeLabels', ['id'], one(204)),
      },
      '/issues/{id}/labels/{name}': { delete: operation('removeLabel', ['id', 'name'], one(200, answer)) },
      '/issues/{id}/tags': {
        get: operation('listTags', ['id'], one(200, object({ tags: arrayOf(TEXT) }, 'tags'))),
        delete: operation('removeTags', ['id'], one(204), object({ tags: arrayOf(TEXT) })),
      },
      '/issues/{id}/tags/{tag}': {
        put: operation('addTag', ['id', 'tag'], one(204)),
        delete: operation('removeTag', ['id', 'tag'], one(204)),
      },
      ...(of.areItems ? labels : {}),
    },
    {
      Issue: object({ id: TEXT, title: TEXT, labels: arrayOf(label), tags: arrayOf(TEXT) }, 'id', 'title', 'labels'),
      Label: LABEL,
    },
  );
  return createMock({ spec, state: of.isOpen === true ? { initialItems: 0 } : { unknownIds: 'not-found' } });
}

async function createIssue(mock: Mock): Promise<string> {
  return `/issues/${String((await send(mock, 'POST /issues', { title: 'a' })).body['id'])}`;
}

const listNames = (labels: unknown): readonly unknown[] => (labels as readonly Part[]).map(({ name }) => name);

it('labels are added to an issue, set and removed, and the issue shows the same', async () => {
  const mock = await start({ areItems: false });
  const issue = await createIssue(mock);
  expect(listNames((await send(mock, `POST ${issue}/labels`, { labels: ['bug', 'ui'] })).body)).toEqual(['bug', 'ui']);
  expect(listNames((await send(mock, `POST ${issue}/labels`, ['ui', 'new'])).body)).toEqual(['bug', 'ui', 'new']);
  await send(mock, `POST ${issue}/labels`, [{ name: 'big' }]);
  const { body: shown } = await send(mock, `GET ${issue}`);
  expect(listNames(shown['labels'])).toEqual(['bug', 'ui', 'new', 'big']);
  expect((await send(mock, `GET ${issue}/labels`)).body).toEqual(shown['labels']);
  expect(listNames((await send(mock, `DELETE ${issue}/labels/ui`)).body)).toEqual(['bug', 'new', 'big']);
  expect((await send(mock, `DELETE ${issue}/labels/ui`)).status).toBe(404);
  expect(listNames((await send(mock, `PUT ${issue}/labels`, { labels: ['old', 'bug'] })).body)).toEqual(['old', 'bug']);
  expect((await send(mock, `DELETE ${issue}/labels`)).status).toBe(204);
  expect((await send(mock, `GET ${issue}`)).body['labels']).toEqual([]);
});

it('the labels of an issue have pages', async () => {
  const mock = await start({ areItems: false });
  const issue = await createIssue(mock);
  await send(mock, `POST ${issue}/labels`, ['a', 'b', 'c']);
  expect(listNames((await send(mock, `GET ${issue}/labels?per_page=2`)).body)).toEqual(['a', 'b']);
  expect(listNames((await send(mock, `GET ${issue}/labels?per_page=2&page=2`)).body)).toEqual(['c']);
});

it('a change of labels can answer with the issue', async () => {
  const mock = await start({ areItems: false, answer: ISSUE });
  const issue = await createIssue(mock);
  const { body: answer } = await send(mock, `POST ${issue}/labels`, { labels: ['bug'] });
  expect([answer['title'], listNames(answer['labels'])]).toEqual(['a', ['bug']]);
});

it('labels that are items are shown as those items, and stay when they are removed from an issue', async () => {
  const mock = await start({ areItems: true });
  const issue = await createIssue(mock);
  const { body: bug } = await send(mock, 'POST /labels', { name: 'bug', color: 'f00' });
  expect((await send(mock, `POST ${issue}/labels`, { labels: ['bug'] })).body).toEqual([bug]);
  expect((await send(mock, `POST ${issue}/labels`, { labels: ['nope'] })).status).toBe(404);
  expect((await send(mock, `DELETE ${issue}/labels/bug`)).body).toEqual([]);
  expect((await send(mock, 'GET /labels/bug')).body).toEqual(bug);
});

it('labels that are items are created where unknown ids are', async () => {
  const mock = await start({ areItems: true, isOpen: true });
  const issue = await createIssue(mock);
  const { list: answer } = await send(mock, `POST ${issue}/labels`, { labels: ['new'] });
  expect(listNames(answer)).toEqual(['new']);
  expect((await send(mock, 'GET /labels/new')).body).toEqual(answer[0]);
  expect((await send(mock, 'GET /labels')).body).toContainEqual(answer[0]);
});

it('strings are added by PUT and removed by DELETE of their path', async () => {
  const mock = await start({ areItems: false });
  const issue = await createIssue(mock);
  expect((await send(mock, `PUT ${issue}/tags/one`)).status).toBe(204);
  await send(mock, `PUT ${issue}/tags/two`);
  await send(mock, `PUT ${issue}/tags/one`);
  expect((await send(mock, `GET ${issue}/tags`)).body).toEqual({ tags: ['one', 'two'] });
  await send(mock, `DELETE ${issue}/tags/one`);
  expect((await send(mock, `GET ${issue}`)).body['tags']).toEqual(['two']);
});

it('the labels of an unknown issue are not found', async () => {
  const mock = await start({ areItems: false });
  expect((await send(mock, 'GET /issues/nope/labels')).status).toBe(404);
  expect((await send(mock, 'POST /issues/nope/labels', ['a'])).status).toBe(404);
});

it('DELETE with a body removes the elements that the body names, and none without one', async () => {
  const mock = await start({ areItems: false });
  const issue = await createIssue(mock);
  for (const tag of ['one', 'two', 'three']) await send(mock, `PUT ${issue}/tags/${tag}`);
  await send(mock, `DELETE ${issue}/tags`, { tags: [] });
  await send(mock, `DELETE ${issue}/tags`, { tags: ['one', 'three'] });
  expect((await send(mock, `GET ${issue}/tags`)).body).toEqual({ tags: ['two'] });
});

it('a label is removed from an issue that was created on demand, once', async () => {
  const mock = await start({ areItems: false, isOpen: true });
  expect((await send(mock, 'DELETE /issues/7/labels/any')).status).toBe(200);
  expect((await send(mock, 'DELETE /issues/7/labels/any')).status).toBe(404);
  const issue = await createIssue(mock);
  expect((await send(mock, `DELETE ${issue}/labels/any`)).status).toBe(404);
});

it.each(WORLDS)(
  'elements with ids are merged by a PATCH that can leave out a part of them in a %s world',
  async (_, options) => {
    const line = object({ id: TEXT, sku: TEXT, count: INTEGER }, 'id', 'sku', 'count');
    const newLine = object({ sku: TEXT, count: INTEGER }, 'sku', 'count');
    const changed = (more: object): Part => object({ id: TEXT, sku: TEXT, count: INTEGER, ...more });
    const answer = shows(ref('Order'));
    const toOrders = (element: Part): Part => ({
      post: takes(object({ lines: arrayOf(newLine) }), ref('Order'), 201),
      patch: { ...sends(object({ lines: arrayOf(element) })), ...answer },
    });
    const paths = Object.entries({
      orders: toOrders(changed({})),
      carts: toOrders(changed({ _destroy: BOOLEAN })),
      drafts: toOrders(newLine),
    }).flatMap(([name, { post, patch }]) => [
      [`/${name}`, { post }],
      [`/${name}/{id}`, { parameters: [pathParameter('id')], get: answer, patch }],
    ]);
    const schemas = { Order: object({ id: TEXT, lines: arrayOf(line) }, 'id', 'lines') };
    const { send } = await openShop({ ...options, spec: toDocument(Object.fromEntries(paths), schemas) });
    const create = async (name: string): Promise<readonly [path: string, a: Part, b: Part]> => {
      const { body } = await send('POST', `/${name}`, {
        lines: [
          { sku: 'a', count: 1 },
          { sku: 'b', count: 2 },
        ],
      });
      const [a = {}, b = {}] = body['lines'] as readonly Part[];
      return [`/${name}/${String(body['id'])}`, a, b];
    };
    const [order, a, b] = await create('orders');
    const some = {
      lines: [
        { id: b['id'], count: 5 },
        { sku: 'c', count: 3 },
      ],
    };
    const third = { id: expect.any(String) as unknown, sku: 'c', count: 3 };
    expect((await send('PATCH', order, some)).body['lines']).toEqual([{ ...b, count: 5 }, third]);
    expect((await send('GET', order)).body['lines']).toEqual([{ ...b, count: 5 }, third]);
    expect(a['id']).not.toBe(b['id']);
    const [cart, one, two] = await create('carts');
    const change = {
      lines: [
        { id: two['id'], count: 5 },
        { sku: 'c', count: 3 },
      ],
    };
    expect((await send('PATCH', cart, change)).body['lines']).toEqual([one, { ...two, count: 5 }, third]);
    const removal = { lines: [{ id: one['id'], _destroy: true }] };
    expect((await send('PATCH', cart, removal)).body['lines']).toEqual([{ ...two, count: 5 }, third]);
    const [draft] = await create('drafts');
    expect((await send('PATCH', draft, { lines: [{ sku: 'c', count: 3 }] })).body['lines']).toEqual([third]);
  },
);

it('labels of an issue are those of its repository, beside labels of all repositories', async () => {
  const label = ref('Label');
  const spec = toDocument(
    {
      '/labels': { get: operation('searchLabels', [], one(200, arrayOf(label))) },
      '/labels/{id}': { get: operation('readAnyLabel', ['id'], one(200, label)) },
      '/repos/{repo}/labels': { post: operation('createLabel', ['repo'], one(201, label), label) },
      '/repos/{repo}/labels/{name}': { get: operation('readLabel', ['repo', 'name'], one(200, label)) },
      '/repos/{repo}/issues': {
        post: operation('createIssue', ['repo'], one(201, ISSUE), object({ title: TEXT }, 'title')),
      },
      '/repos/{repo}/issues/{id}': { get: operation('readIssue', ['repo', 'id'], one(200, ISSUE)) },
      '/repos/{repo}/issues/{id}/labels': {
        get: operation('listIssueLabels', ['repo', 'id'], one(200, arrayOf(label))),
        post: operation(
          'addLabels',
          ['repo', 'id'],
          one(200, arrayOf(label)),
          object({ labels: arrayOf(TEXT) }, 'labels'),
        ),
      },
    },
    {
      Label: object({ id: TEXT, name: TEXT, color: TEXT }, 'id', 'name', 'color'),
      Issue: object({ id: TEXT, title: TEXT, labels: arrayOf(label) }, 'id'),
    },
  );
  const { send } = await openShop({ spec });
  const { body: made } = await send('POST', '/repos/r/labels', { id: '7', name: 'wish', color: 'ff0000' });
  const { body: issue } = await send('POST', '/repos/r/issues', { title: 'a' });
  const path = `/repos/r/issues/${String(issue['id'])}/labels`;
  expect((await send('POST', path, { labels: ['wish'] })).list).toEqual([made]);
  expect((await send('GET', path)).list).toEqual([made]);
});
