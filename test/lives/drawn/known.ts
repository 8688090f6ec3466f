import type { FailureClass } from './report.js';
import { hasChoices, listDifferences, PLAIN, settle, type Shape, toName } from './shape.js';

/** A smallest combination of choices that fails, and why. Remove it when its lives succeed. */
export interface KnownFailure {
  readonly choices: Partial<Shape>;
  readonly why: string;
}

export const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    choices: { style: 'rpc', method: 'verb-noun', action: 'archive' },
    why: 'not true that an action is answered from state',
  },
  { choices: { members: 'post-many' }, why: 'not true that members are listed' },
  {
    choices: { list: 'data', total: 'nounCount' },
    why: 'not true that the total of a list is the number of its items',
  },
  { choices: { create: 'union' }, why: 'not true that a create of two shows two' },
  { choices: { createAt: 'put-ok', removeAt: 'query' }, why: 'not true that a create has the declared status' },
  { choices: { schemas: 'inline', restore: 'restore' }, why: 'not true that a restore is answered from state' },
  { choices: { create: 'task', createAt: 'word' }, why: 'not true that a create is answered from state' },
  { choices: { task: 'id', remove: 'task' }, why: 'not true that the read of a task has the declared status' },
  { choices: { style: 'query', create: 'id' }, why: 'not true that a read after a create is answered from state' },
  { choices: { style: 'query', createAt: 'parent' }, why: 'not true that a create is answered from state' },
  {
    choices: { task: 'id', update: 'put', updated: 'task' },
    why: 'not true that the read of a task has the declared status',
  },
  { choices: { create: 'id', createAt: 'word', id: 'external' }, why: 'not true that a create is answered from state' },
  {
    choices: { input: 'item', createAt: 'word', idIs: 'read-only' },
    why: 'not true that a create is answered from state',
  },
  { choices: { style: 'rpc', id: 'uuid', parameter: 'nounId' }, why: 'not true that a list is answered from state' },
  { choices: { style: 'rpc', listed: 'summary' }, why: 'not true that a read shows the item after a create' },
  { choices: { create: 'id', createAt: 'parent' }, why: 'not true that a create is answered from state' },
  { choices: { create: 'task', task: 'id' }, why: 'not true that the read of a task has the declared status' },
  {
    choices: { item: 'data', sibling: 'string', action: 'archive' },
    why: 'not true that an action is answered from state',
  },
  {
    choices: { item: 'data', sibling: 'string', create: 'id', createAt: 'word' },
    why: 'not true that a create is answered from state',
  },
  {
    choices: { item: 'noun', sibling: 'number', action: 'archive' },
    why: 'not true that an action is answered from state',
  },
  {
    choices: { style: 'rpc-get', id: 'uuid', parameter: 'nounId' },
    why: 'not true that a create is answered from state',
  },
  {
    choices: { id: 'external', update: 'put', changeAt: 'collection' },
    why: 'not true that a change is answered from state',
  },
  {
    choices: { create: 'task', createAt: 'put', removeAt: 'query' },
    why: 'not true that a create has the declared status',
  },
  {
    choices: { style: 'query', required: 'none', item: 'noun', request: 'wrapped', createAt: 'put-all' },
    why: 'not true that a create shows the id',
  },
  { choices: { item: 'noun', sibling: 'number', create: 'id' }, why: 'not true that a create shows the id' },
  {
    choices: { style: 'rpc-get', listed: 'summary', item: 'noun', sibling: 'number' },
    why: 'not true that a create is answered from state',
  },
];

export const toShape = ({ choices }: KnownFailure): Shape => settle({ ...PLAIN, ...choices });

/** Whether a shape has all choices of a known failure. */
export const hasKnown = (shape: Shape): boolean =>
  KNOWN_FAILURES.some((known) => hasChoices(shape, listDifferences(toShape(known))));

/** Whether lives fail in a known way. */
export const isKnown = ({ choices }: FailureClass): boolean =>
  KNOWN_FAILURES.some((known) => toName(listDifferences(toShape(known))) === toName(choices));
