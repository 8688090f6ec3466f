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

/** Fills one property of an envelope; undefined leaves it out. */
type Filler = (facts: EnvelopeFacts) => unknown;

/**
 * Plans the body of a list answer: what has one legal value, what the page decides, and the rest that the schema demands, made
 * once. Properties come in the order of the schema, so that an answer reads like its documentation.
 */
export function createEnvelope(
  shape: ListShape,
  schema: ItemSchema | undefined,
  makeRest: (known: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): Envelope {
  const { items, constants } = shape;
  if (items === undefined) return (facts) => facts.items;
  const names = [...(schema?.properties.keys() ?? [items])];
  let steps = names.flatMap((name): readonly (readonly [string, Filler])[] => {
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
  if (!isMissing(schema, steps)) return build;
  let whole = false;
  return (facts) => {
    if (!whole) {
      whole = true;
      // What is made up does not depend on the page, so it is made for an empty one.
      const rest = makeRest({ ...constants, ...(build(facts) as Readonly<Record<string, unknown>>), [items]: [] });
      const known = new Map(steps);
      steps = names.flatMap((name): readonly (readonly [string, Filler])[] => {
        const fill = known.get(name) ?? (Object.hasOwn(rest, name) ? (): unknown => rest[name] : undefined);
        return fill === undefined ? [] : [[name, fill]];
      });
    }
    return build(facts);
  };
}

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

/** What the page says, or, where it says nothing, null where that is allowed, and the empty value where it is demanded. */
function fillField(field: EnvelopeField, facts: EnvelopeFacts): unknown {
  const value = readField(field, facts);
  if (value !== undefined) return value;
  if (field.nullable) return null;
  if (!field.required) return undefined;
  return field.type === 'string' ? '' : field.type === 'boolean' ? false : 0;
}

/** Whether the schema demands a property that nothing fills. */
function isMissing(schema: ItemSchema | undefined, steps: readonly (readonly [string, Filler])[]): boolean {
  const filled = new Set(steps.map(([name]) => name));
  return [...(schema?.properties.values() ?? [])].some(({ name, required }) => required && !filled.has(name));
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
