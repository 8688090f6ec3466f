import type { ItemSchema } from './item-schema.js';
import type { Entry } from './item-list.js';
import type { EnvelopeField, ListShape } from './list-shape.js';
import type { Page, PageTurn } from './page.js';

/** What an envelope is filled from. */
export interface EnvelopeFacts {
  readonly page: Page;
  /** How many items there are on all pages. */
  readonly total: number;
  readonly limit: number;
  /** The entries of the page, in order. */
  readonly entries: readonly Entry[];
  /** The items as they are shown. */
  readonly items: readonly unknown[];
  /** The id of an entry the way the item carries it. */
  id(entry: Entry): unknown;
  /** The URL of this list with another place in it; of this very page for undefined. */
  url(turn: PageTurn | undefined, absolute: boolean): string;
}

/** Makes the body of a list answer. */
export type Envelope = (facts: EnvelopeFacts) => unknown;

/**
 * Plans the body of a list answer: what has one legal value, what the page decides, and `rest` for what the schema demands
 * besides, made once.
 */
export function createEnvelope(
  shape: ListShape,
  schema: ItemSchema | undefined,
  makeRest: (known: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): Envelope {
  const { items } = shape;
  if (items === undefined) return (facts) => facts.items;
  const missing = findMissing(shape, schema);
  let rest: Readonly<Record<string, unknown>> | undefined;
  const names = [...(schema?.properties.keys() ?? [items])];
  return (facts) => {
    const values = new Map<string, unknown>();
    for (const field of shape.fields) setField(values, field, readField(field, facts));
    if (missing) rest ??= makeRest({ ...shape.constants, ...Object.fromEntries(values), [items]: [] });
    const body: Record<string, unknown> = {};
    // In the order of the schema, so that the answer reads like its documentation.
    for (const name of names) {
      const fixed = Object.hasOwn(shape.constants, name) ? shape.constants[name] : rest?.[name];
      // `null` is what an empty page says of its first item, so presence decides and not the value.
      const told = values.has(name) ? values.get(name) : fixed;
      const value = name === items ? facts.items : told;
      if (value !== undefined) body[name] = value;
    }
    return body;
  };
}

/** Whether the schema demands a property that neither the page nor a constant gives. */
function findMissing(shape: ListShape, schema: ItemSchema | undefined): boolean {
  const given = new Set([shape.items, ...Object.keys(shape.constants), ...shape.fields.map(({ path }) => path[0])]);
  return [...(schema?.properties.values() ?? [])].some(({ name, required }) => required && !given.has(name));
}

function setField(values: Map<string, unknown>, field: EnvelopeField, value: unknown): void {
  const [first = '', second] = field.path;
  const shown = value ?? (field.nullable ? null : undefined);
  if (shown === undefined && !field.required) return;
  const blank = field.type === 'string' ? '' : field.type === 'boolean' ? false : 0;
  const filled = shown === undefined ? blank : shown;
  if (second === undefined) {
    values.set(first, filled);
    return;
  }
  const outer = values.get(first);
  values.set(first, { ...(typeof outer === 'object' ? outer : undefined), [second]: filled });
}

/** What the page says for one property; undefined where there is nothing to say. */
function readField(field: EnvelopeField, facts: EnvelopeFacts): unknown {
  const { page, entries, total, limit } = facts;
  switch (field.role) {
    case 'hasMore':
      return page.more;
    case 'firstId':
      return entries[0] === undefined ? undefined : facts.id(entries[0]);
    case 'lastId': {
      const last = entries.at(-1);
      return last === undefined ? undefined : facts.id(last);
    }
    case 'total':
      return total;
    case 'count':
      return entries.length;
    case 'limit':
      return Number.isFinite(limit) ? limit : total;
    case 'offset':
      return page.from;
    case 'page':
      return Math.floor(page.from / Math.max(1, limit)) + 1;
    case 'pages':
      return Math.ceil(total / Math.max(1, limit));
    case 'self':
      return facts.url(undefined, field.absolute);
    case 'next':
      return readTurn(field, page.next, facts);
    default:
      return readTurn(field, page.previous, facts);
  }
}

function readTurn(field: EnvelopeField, turn: PageTurn | undefined, facts: EnvelopeFacts): unknown {
  if (turn === undefined) return undefined;
  const tells = field.type !== 'object' && !field.url && (turn.role === 'token' || field.type === 'integer');
  return tells ? turn.value : facts.url(turn, field.absolute);
}
