import { isObject } from '../../contract/schema.js';
import type { Item, ItemContent } from '../../state/item-list.js';
import type { Exchange } from '../answer-source.js';
import type { StateKit } from './state-kit.js';

/** The object a request carries; an empty one where its body is none. */
export function readBody(exchange: Exchange): Item {
  const { body } = exchange.call;
  return isObject(body) ? body : {};
}

/** The items a request for several carries: its body, or the list that is a member of it. */
export function readBodies(exchange: Exchange): readonly Item[] {
  const { body } = exchange.call;
  if (Array.isArray(body)) return body.filter(isObject);
  if (!isObject(body)) return [];
  const list = Object.values(body).find((value): value is readonly unknown[] => Array.isArray(value));
  return list === undefined ? [body] : list.filter(isObject);
}

/** The bytes of the first file that came with a form. */
export function readUpload(body: unknown): ItemContent | undefined {
  if (!isObject(body)) return undefined;
  for (const value of Object.values(body)) {
    const [first] = Array.isArray(value) ? value : [value];
    if (first instanceof Uint8Array) return { bytes: first, mediaType: undefined };
  }
  return undefined;
}

/** A body made legal: as it is where it fits, else with what its schema demands besides. */
export function completeBody(
  kit: StateKit,
  { session, call }: Exchange,
  of: { readonly pointer: string; readonly body: Item; readonly key: string },
): unknown {
  if (kit.validators.check(of.pointer, 'response')(of.body, 'body').length === 0) return of.body;
  return kit.generator.complete(of.pointer, of.body, {
    seed: session.seed,
    key: `${of.pointer}\0${of.key}`,
    direction: 'response',
    now: session.clock.now(),
    known: { ...of.body, ...call.path },
  });
}
