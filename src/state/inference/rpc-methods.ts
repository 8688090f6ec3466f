import type { Operation } from '../../contract/operations/operation.js';
import { toBareNoun } from '../names.js';
import type { Action } from '../resource.js';
import { type ContractIndex, readBodyPointer } from './contract-index.js';
import { listProperties } from '../item-schema.js';

/** An operation whose path ends in a verb: `/rooms.create`, `/item/get`. */
export interface RpcMethod {
  readonly operation: Operation;
  /** The words before the verb, without version prefixes. */
  readonly nouns: readonly string[];
  /** The last word: `setTopic`. */
  readonly verb: string;
  /** What the verb means; undefined for one that is not plain. */
  readonly action: Action | undefined;
  readonly inputs: readonly RpcInput[];
}

/** A parameter of a query, or a property of a body. */
export interface RpcInput {
  readonly name: string;
  readonly in: 'body' | 'query';
  readonly required: boolean;
}

/** Plain verbs and what they do; of several creates of one resource the first verb is the create. */
const VERBS: Readonly<Record<string, Action>> = {
  ...toTable('create', 'create add new insert register open upload send post'),
  ...toTable('list', 'list search query all find'),
  ...toTable('read', 'info get read retrieve show fetch'),
  ...toTable('update', 'update edit set rename modify change patch'),
  ...toTable('delete', 'delete remove destroy'),
};

function toTable(action: Action, verbs: string): Readonly<Record<string, Action>> {
  return Object.fromEntries(verbs.split(' ').map((verb) => [verb, action]));
}

const PREFIX = /^(api|rest|rpc|v\d+([._]\d+)*)$/i;

/** Reads an operation as a method; undefined where its path has a parameter, or its method is not one of GET and POST. */
export function readRpcMethod(index: ContractIndex, operation: Operation): RpcMethod | undefined {
  const { method, path } = operation;
  if ((method !== 'GET' && method !== 'POST') || /[{?#]/.test(path)) return undefined;
  const words = path.split(/[/.:]/).filter((word) => word !== '' && !PREFIX.test(word));
  const verb = words.at(-1);
  if (verb === undefined || words.length < 2) return undefined;
  const action = toAction(verb);
  // A GET changes nothing.
  if (method === 'GET' && action !== 'list' && action !== 'read' && action !== undefined) return undefined;
  return { operation, nouns: words.slice(0, -1), verb, action, inputs: readInputs(index, operation) };
}

function toAction(word: string): Action | undefined {
  const own = word.toLowerCase();
  if (Object.hasOwn(VERBS, own)) return VERBS[own];
  // `setTopic` changes a property.
  return /^(set|update|edit|change)([A-Z_]|$)/.test(word) ? 'update' : undefined;
}

function readInputs({ read }: ContractIndex, operation: Operation): readonly RpcInput[] {
  const properties = listProperties(read(readBodyPointer(operation)));
  const query = operation.parameters.filter((parameter) => parameter.in === 'query');
  const inputs = [
    ...query.map(({ name, required }): RpcInput => ({ name, required, in: 'query' })),
    ...properties.map(({ name, required }): RpcInput => ({ name, required, in: 'body' })),
  ];
  return inputs.toSorted((a, b) => Number(b.required) - Number(a.required));
}

/** The bare singular forms of some nouns. */
export function toBareNouns(words: readonly string[]): readonly string[] {
  return [...new Set(words.map(toBareNoun).filter((word) => word !== ''))];
}
