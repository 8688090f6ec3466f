import { isObject } from '../../contract/json.js';
import type { Validators } from '../../schema/validate.js';
import type { Item } from './item-list.js';

/** What a made-up value depends on. */
interface MakeContext {
  readonly seed: number;
  readonly key: string;
  readonly direction: 'request' | 'response';
  readonly now: number;
  readonly known?: Readonly<Record<string, unknown>>;
}

/** Makes values that fit a schema. */
export interface ValueMaker {
  value(schemaPointer: string, context: MakeContext): unknown;
  complete(schemaPointer: string, partial: unknown, context: MakeContext): unknown;
}

/** What a whole item is made of. */
interface WholeItemInput {
  readonly schema: string;
  /** What the item has to say: its id, its parent. */
  readonly given: Item;
  /** What it says where its schema allows that: links to other items. */
  readonly wished: Item;
  readonly context: MakeContext;
}

/** An item as a reader would like to see it: what is optional is there as well. What is given stays, what is wished stays where it fits. */
export function makeWholeItem(
  { generator, validators }: { readonly generator: ValueMaker; readonly validators: Validators },
  { schema, given, wished, context }: WholeItemInput,
): Item {
  const check = validators.check(schema, 'response');
  const base = generator.value(schema, { ...context, known: { ...wished, ...given } });
  const filled = isObject(base) ? base : {};
  const first = { ...filled, ...wished, ...given };
  const wrong = new Set(check(first, 'body').map(({ pointer }) => pointer.split('/')[1]));
  if (wrong.size === 0) return first;
  const fitting = Object.fromEntries(Object.entries(wished).filter(([name]) => !wrong.has(name)));
  const second = { ...filled, ...fitting, ...given };
  if (check(second, 'body').length === 0) return second;
  // A schema of objects gives an object.
  return generator.complete(schema, { ...fitting, ...given }, context) as Item;
}
