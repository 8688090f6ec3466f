import { readWords, toBareName } from '../../../contract/names.js';
import type { ItemSchema } from '../../item-schema.js';
import type { Action } from '../../resource.js';
import type { RpcInput, RpcMethod } from './methods.js';

/** The methods that do one of some actions. */
export function select(methods: readonly RpcMethod[], ...actions: readonly Action[]): readonly RpcMethod[] {
  return actions.flatMap((wanted) => methods.filter(({ action }) => action === wanted));
}

/** Whether there are methods on one item, and all of them require an input. */
export function isRequiredOnItem(methods: readonly RpcMethod[], name: string): boolean {
  const onItem = select(methods, 'read', 'delete');
  const isRequired = ({ inputs }: RpcMethod): boolean => inputs.some((each) => each.required && each.name === name);
  return onItem.length > 0 && onItem.every(isRequired);
}

/** The property of the id: one that the methods on one item take, else `id`, one with the noun, or one that these methods require. */
export function findIdProperty(
  { properties }: ItemSchema,
  names: readonly string[],
  methods: readonly RpcMethod[],
): string | undefined {
  const all = [...properties.keys()];
  const onItem = select(methods, 'read', 'delete');
  const isTaken = (name: string): boolean =>
    onItem.length > 0 && onItem.every(({ inputs }) => findNamed(inputs, listIdNames(names, name)) !== undefined);
  const bareKinds = ['id', ...names.flatMap((noun) => [`${noun}id`, noun]), 'arn', 'name', 'key'];
  const kinds = [...bareKinds, ...names.flatMap((noun) => [`${noun}arn`, `${noun}name`, `${noun}key`])];
  const plain = kinds.flatMap((kind) => all.find((name) => toBareName(name) === kind) ?? []);
  const taken = plain.find(isTaken);
  if (taken !== undefined) return taken;
  if (all.includes('id')) return 'id';
  const wanted = new Set(names.flatMap((name) => [`${name}id`, name]));
  const named = all.find((name) => /id$/i.test(name) && wanted.has(toBareName(name)));
  return named ?? all.find((name) => isRequiredOnItem(methods, name));
}

/** The bare names that an input with the id can have, the most exact first: `roomarn`, `arn`, `roomid` and `room` for `RoomArn`. */
export function listIdNames(names: readonly string[], idProperty: string): readonly string[] {
  const own = toBareName(idProperty);
  const short = names.flatMap((noun) => (own.startsWith(noun) && own !== noun ? [own.slice(noun.length)] : []));
  const kinds = short.length > 0 ? short : KINDS.test(own) ? names.map((noun) => `${noun}${own}`) : [];
  return [own, ...kinds, ...names.flatMap((name) => [`${name}id`, name]), 'identifier'];
}

/** Names of ids that say nothing about the item. */
const KINDS = /^(id|arn|name|key)$/;

/** The input with the first of some bare names that there is. */
export function findNamed(inputs: readonly RpcInput[], names: readonly string[]): RpcInput | undefined {
  for (const name of names) {
    const found = inputs.find((input) => toBareName(input.name) === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The last word of a noun, where the methods on one item require it: `application` for `robotApplication`. */
export function findShortNouns({
  methods,
  nouns,
}: {
  readonly methods: readonly RpcMethod[];
  readonly nouns: readonly string[];
}): readonly string[] {
  const last = readWords(nouns.at(-1) ?? '').at(-1);
  const onItem = select(methods, 'read', 'delete');
  const isTaken =
    onItem.length > 0 && onItem.every(({ inputs }) => inputs.some((each) => each.required && each.name === last));
  return isTaken && last !== undefined ? [last] : [];
}

/** The other properties by which methods may name an item, behind a verb: its ARN and its name. */
export function listOtherKeys(
  names: readonly string[],
  { properties }: ItemSchema,
  idProperty: string,
): readonly string[] {
  const keys = new Set(['arn', 'name', ...names.flatMap((noun) => [`${noun}arn`, `${noun}name`, `${noun}id`])]);
  return [...properties.keys()].filter((name) => name !== idProperty && keys.has(toBareName(name)));
}
