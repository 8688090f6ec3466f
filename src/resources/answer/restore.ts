import { readWords } from '../../base/names.js';
import { means } from '../../conventions/conventions.js';
import type { Binding } from '../item/resource.js';
import { answerItem, type OperationContext, type StateHandler } from './context.js';
import { readItemId } from './request.js';

/** Whether an action brings back what was removed, by the first word of its name. */
export function isRestoring({ action, operation }: Binding): boolean {
  const [word = ''] = readWords(operation.path.split(/[/.:]/).at(-1) ?? '');
  return action === 'act' && means(word, 'verbs.restore');
}

/** Brings a removed item back as it was; any other one changes. */
export function withRestoring(context: OperationContext, change: StateHandler): StateHandler {
  const { findLocation, items } = context;
  return (exchange, transaction) => {
    const location = findLocation(exchange, transaction);
    if ('missing' in location) return location.missing;
    const id = readItemId(context, exchange.call);
    const removed = items.lookUp(location, id) === undefined ? items.recall(location, id) : undefined;
    if (removed === undefined) return change(exchange, transaction);
    exchange.note(`state: restored ${location.collection.name} ${JSON.stringify(removed.id)}`);
    return answerItem(context, exchange, location.collection.add(removed, location.scope));
  };
}
