import type { ItemSchema } from '../item-schema.js';
import type { Entry } from '../store/collection.js';
import type { EnvelopeField, ListShape } from './list-shape.js';
import type { Page, PageTurn } from './page.js';

/** What an envelope is filled from. */
interface EnvelopeFacts {
  readonly page: Page;
  /** The number of items on all pages. */
  readonly total: number;
  readonly limit: number;
  /** The entries of the page, in order. */
  readonly entries: readonly Entry[];
  /** The items in the form of the response. */
  readonly items: readonly unknown[];
  /** The id of an entry in the form of the item. */
  id(entry: Entry): unknown;
  /** The URL of another page of this list; of the current page for undefined. */
  url(turn: PageTurn | undefined, absolute: boolean): string;
}

/** Builds the body of a list response. */
export type Envelope = (facts: EnvelopeFacts) => unknown;

/** Generates the properties that depend neither on the page nor on a constant. */
interface EnvelopeMaker {
  /** The invalid properties of a body. */
  findWrong(body: Readonly<Record<string, unknown>>): readonly string[];
  /** A complete envelope from its known part. */
  complete(known: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/** The value of one property of an envelope; undefined leaves it out. */
type Filler = (facts: EnvelopeFacts) => unknown;

/**
 * Plans the body of a list response: constants, values of the page, and generated values for the other required properties.
 * Properties are in the order of the schema.
 */
export function createEnvelope(shape: ListShape, schema: ItemSchema | undefined, maker: EnvelopeMaker): Envelope {
  const { items, constants } = shape;
  if (items === undefined) return (facts) => facts.items;
  const names = [...(schema?.properties.keys() ?? [items])];
  let steps: readonly Step[] = names.flatMap((name): readonly Step[] => {
    const fill = createFiller(shape, name);
    return fill === undefined ? [] : [[name, fill]];
  });
  const build: Envelope = (facts) => {
    const body: Record<string, unknown> = {};
    for (const [name, fill] of steps) {
      const value = fill(facts);
      if (value !== undefined) body[name] = value;
    }
    return body;
  };
  let checked = false;
  return (facts) => {
    if (!checked) {
      checked = true;
      steps = repair(names, steps, build(facts));
    }
    return build(facts);
  };

  /** Generates the missing and invalid properties once, for an empty page. */
  function repair(order: readonly string[], planned: readonly Step[], first: unknown): readonly Step[] {
    const body = { ...constants, ...(first as Readonly<Record<string, unknown>>), [items ?? '']: [] }; // `build` gives objects
    const wrong = new Set(maker.findWrong(body).filter((name) => name !== items));
    if (wrong.size === 0) return planned;
    const rest = maker.complete(Object.fromEntries(Object.entries(body).filter(([name]) => !wrong.has(name))));
    const fillers = new Map(planned.filter(([name]) => !wrong.has(name)));
    return order.flatMap((name): readonly Step[] => {
      const fill =
        fillers.get(name) ?? (wrong.has(name) && Object.hasOwn(rest, name) ? (): unknown => rest[name] : undefined);
      return fill === undefined ? [] : [[name, fill]];
    });
  }
}

type Step = readonly [name: string, fill: Filler];

function createFiller(shape: ListShape, name: string): Filler | undefined {
  if (name === shape.items) return (facts) => facts.items;
  const fields = shape.fields.filter(({ path }) => path[0] === name);
  const [first] = fields;
  if (first !== undefined && first.path.length === 1) return (facts) => fillField(first, facts);
  if (first !== undefined) return (facts) => fillNested(fields, facts);
  return Object.hasOwn(shape.constants, name) ? () => shape.constants[name] : undefined;
}

function fillNested(fields: readonly EnvelopeField[], facts: EnvelopeFacts): unknown {
  const inner: Record<string, unknown> = {};
  for (const field of fields) {
    const value = fillField(field, facts);
    if (value !== undefined) inner[field.path[1] ?? ''] = value;
  }
  return inner;
}

/** The value of the page; without one null where it is nullable, and an empty value where it is required. */
function fillField(field: EnvelopeField, facts: EnvelopeFacts): unknown {
  const value = readField(field, facts);
  if (typeof value === 'number' && field.type === 'string') return String(value);
  if (value !== undefined) return value;
  if (field.nullable) return null;
  if (!field.required) return undefined;
  return field.type === 'string' ? '' : field.type === 'boolean' ? false : 0;
}

/** The value of the page for one property; undefined where it has none. */
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
  const isValue = field.type !== 'object' && !field.url && (turn.role === 'token' || field.type === 'integer');
  return isValue ? turn.value : facts.url(turn, field.absolute);
}
