import { expect } from 'vitest';
import { readPointer } from '../../src/contract/pointer.js';
import { createMock, type Mock } from '../../src/index.js';
import { content, finds, inPath, query, REMOVED, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { type Reply, send } from '../send.js';

/** How the list of widgets declares its pages, and what else the document has. */
export interface WidgetDocument {
  readonly parameters?: readonly Part[];
  readonly envelope?: Part;
  /** Whether the envelope always has all of its members. */
  readonly isWhole?: boolean;
  /** Whether the answer is the array of widgets, without an envelope. */
  readonly isBare?: boolean;
  /** The names of the headers of a page. */
  readonly headers?: readonly string[];
  /** The responses of the list beside that of a page. */
  readonly statuses?: Part;
  /** The properties of a widget beside its id and name. */
  readonly properties?: Part;
  /** The schema of an element of the list, if that is not the widget. */
  readonly summary?: Part;
  readonly paths?: Part;
}

/** A document with widgets that a client names, and with one list. */
export function createWidgetDocument(of: WidgetDocument): Record<string, unknown> {
  const items = arrayOf(of.summary ?? ref('Widget'));
  const widget = ref('Widget');
  const headers = Object.fromEntries((of.headers ?? []).map((name) => [name, { schema: TEXT }]));
  const required = of.isWhole === true ? Object.keys(of.envelope ?? {}) : [];
  const list = of.isBare === true ? items : object({ widgets: items, ...of.envelope }, 'widgets', ...required);
  return toDocument(
    {
      '/widgets': {
        get: {
          operationId: 'listWidgets',
          parameters: of.parameters ?? [],
          responses: { 200: { description: 'a page', headers, content: content(list) }, ...of.statuses },
        },
        post: { operationId: 'createWidget', ...takes(object({ name: TEXT, ...of.properties }, 'name'), widget, 201) },
      },
      '/widgets/{id}': {
        ...inPath('id'),
        get: { operationId: 'readWidget', ...finds(widget) },
        patch: takes(object({ name: TEXT }), widget),
        delete: REMOVED,
      },
      ...of.paths,
    },
    { Widget: object({ id: TEXT, name: TEXT, ...of.properties }, 'id', 'name') },
  );
}

const FIVE = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }));

/** A mock with these widgets; by default there are five, `a` to `e`. */
export async function openWidgets(
  of: WidgetDocument,
  { widgets = FIVE, initialItems = 0 }: { readonly widgets?: readonly Part[]; readonly initialItems?: number } = {},
): Promise<Mock> {
  const mock = await createMock({ spec: createWidgetDocument(of), state: { initialItems } });
  await addWidgets(mock, widgets);
  return mock;
}

export async function addWidgets(mock: Mock, widgets: readonly Part[], path = '/widgets'): Promise<void> {
  for (const widget of widgets) expect((await send(mock, path, widget)).status).toBe(201);
}

/** A widget as an answer shows it. */
export interface Widget {
  readonly id: string;
  readonly name: string;
}

/** An answer with widgets, and their names as one string: `ab`. */
export interface WidgetPage extends Reply {
  readonly widgets: readonly Widget[];
  readonly names: string;
}

/** Reads a page at a path or URL: by POST if the request has a body. */
export async function readPage(mock: Mock, url: string, body?: unknown): Promise<WidgetPage> {
  const reply = await send(mock, `${body === undefined ? 'GET' : 'POST'} ${url}`, body);
  const found = readPointer(reply.body, '/widgets') ?? reply.list;
  // The document says that these are widgets.
  const widgets = Array.isArray(found) ? (found as readonly Widget[]) : [];
  return { ...reply, widgets, names: widgets.map(({ name }) => name).join('') };
}

type NextPath = string | undefined;

/** The pages of a list from the first to the one that shows no path of another. */
export async function walkPages(
  mock: Mock,
  first: string,
  toNext: (page: WidgetPage) => NextPath | Promise<NextPath>,
): Promise<readonly WidgetPage[]> {
  const pages: WidgetPage[] = [];
  for (let path: NextPath = first; path !== undefined;) {
    const page = await readPage(mock, path);
    expect(page.status).toBe(200);
    expect(pages.push(page), 'the walk does not end').toBeLessThan(50);
    path = await toNext(page);
  }
  return pages;
}

/** The path of the next page, which ends in a value of the answer; undefined where the answer has none. */
export function toNextPath(start: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`unexpected ${JSON.stringify(value)}`);
  return `${start}${encodeURIComponent(value)}`;
}

/** A parameter for the size of a page, which is 2 by default. */
export const toSize = (name: string): Part => query(name, { ...INTEGER, default: 2 });
