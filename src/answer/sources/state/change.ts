import { isObject, withPath } from '../../../contract/json.js';
import type { Answer } from '../../../http/answer.js';
import type { Call } from '../../../http/request/call.js';
import { toBareName } from '../../../state/names.js';
import type { Item } from '../../../state/store/collection.js';
import type { Transaction } from '../../../state/store/store.js';
import type { ItemModel } from '../../../state/store/item-model.js';
import { applyJsonPatch } from '../../../state/store/json-patch.js';
import type { Exchange } from '../../chain.js';
import { chooseDeclared, type OperationContext, refuse } from './context.js';

/** The item after a change, with the properties that the operation writes. */
export type Change = { readonly after: Item; readonly set?: Item } | { readonly refused: Answer };

/** The item with the changes of a request, according to its media type. */
export function readChange(
  context: OperationContext,
  exchange: Exchange,
  { item, transaction }: { readonly item: Item; readonly transaction: Transaction },
): Change {
  const { call } = exchange;
  const { model } = context;
  const { set } = context.binding;
  if (call.mediaType === 'application/json-patch+json') {
    const patched = applyJsonPatch(item, call.body);
    if ('item' in patched) return { after: { ...patched.item, ...keepServerProperties(model, item) }, set };
    const status = chooseDeclared(context, [409, 422, 400]);
    return { refused: refuse(context, exchange, { status, message: patched.mistake, code: 'invalid_patch' }) };
  }
  const sent = context.reader.one(call);
  const changes = applyMask(call, model.accept({ ...sent, ...context.references.embed(transaction, sent) }));
  const isForm = /x-www-form-urlencoded|multipart/.test(call.mediaType ?? '');
  // Every change of a part merges (RFC 7386), nested objects too: only a replacement drops what it omits.
  return { after: model.merge(item, isForm ? clearEmpty(model, changes) : changes), set };
}

const MASK = /^(update|field)_?mask$/i;

/** The properties that the field mask of a request names, in its query or its body: `displayName,labels`; all without a mask. */
function applyMask({ query, body }: Call, changes: Item): Item {
  const given = [query, isObject(body) ? body : {}];
  const name = given.flatMap((part) => Object.keys(part)).find((each) => MASK.test(each));
  const mask = name === undefined ? undefined : given.map((part) => part[name]).find((value) => value !== undefined);
  const paths = (typeof mask === 'string' ? mask.split(',') : Array.isArray(mask) ? mask.map(String) : []).map((path) =>
    path.trim().split('.'),
  );
  if (paths.length === 0 || paths.some(([first]) => first === '*' || first === '')) return changes;
  let masked: Item = {};
  for (const path of paths) {
    const steps = path.map(toBareName);
    const found = readMasked(changes, steps);
    if (found !== undefined) masked = withPath(masked, found.path, found.value);
  }
  return masked;
}

/** The value at a path whose names may have another casing: `display_name` for `displayName`. */
function readMasked(
  item: Item,
  [first, ...rest]: readonly string[],
): { readonly path: readonly string[]; readonly value: unknown } | undefined {
  const name = Object.keys(item).find((each) => toBareName(each) === first);
  if (name === undefined) return undefined;
  const value = item[name];
  if (rest.length === 0) return { path: [name], value };
  const inner = isObject(value) ? readMasked(value, rest) : undefined;
  return inner && { path: [name, ...inner.path], value: inner.value };
}

/** In a form an empty string clears a nullable property. */
function clearEmpty({ schema }: ItemModel, changes: Item): Item {
  const cleared = Object.entries(changes).map(([name, value]) => {
    const isCleared = value === '' && schema?.properties.get(name)?.nullable === true;
    return [name, isCleared ? null : value] as const;
  });
  return Object.fromEntries(cleared);
}

/** The properties that a patch must not change. */
function keepServerProperties(model: ItemModel, item: Item): Item {
  if (model.schema === undefined) return {};
  return Object.fromEntries(Object.entries(item).filter(([name]) => !model.accepts(name)));
}
