import { readOwn } from '../../../contract/json.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { toBareNoun, toSingular } from '../../names.js';
import type { Action } from '../../resource.js';
import { findListItems } from '../../pages/list-items.js';
import { type ContractIndex, readAnswerPointer, readBodyPointer } from '../contract-index.js';
import { listProperties } from '../../item-schema.js';

/** An operation whose path ends in a verb, or in a verb and a noun: `/rooms.create`, `/item/get`, `/createRoom`, `/#Action=DescribeRoom`. */
export interface RpcMethod {
  readonly operation: Operation;
  /** What the methods on the same items have in common. */
  readonly key: string;
  /** The words before the verb, without version prefixes, or the noun behind it. */
  readonly nouns: readonly string[];
  /** The last word without a noun behind it: `setTopic`, and `create` of `createRoom`. */
  readonly verb: string;
  /** Whether the noun is behind the verb. */
  readonly isVerbFirst: boolean;
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

/** Verbs that, before a noun, mean the same as others, and verbs that create only where a noun has no plain create. */
const VERBS_BEFORE_NOUN: Readonly<Record<string, Action>> = {
  ...VERBS,
  ...toTable('create', 'allocate import put request run start submit'),
  ...toTable('read', 'describe'),
  ...toTable('delete', 'deregister'),
};

/** Reads an operation as a method; undefined where its path has a parameter, or its method is not one of GET and POST. */
export function readRpcMethod(index: ContractIndex, operation: Operation): RpcMethod | undefined {
  const { method } = operation;
  if (method !== 'GET' && method !== 'POST') return undefined;
  const words = readPathWords(operation.path);
  const last = words.at(-1);
  if (last === undefined) return undefined;
  const isNamed = words.length < 2 || operation.path.includes('#') || isVerbAndNoun(last);
  const found = isNamed ? readVerbFirst(index, operation, words) : readVerbLast(words);
  if (found === undefined) return undefined;
  const { action } = found;
  // A GET changes nothing.
  if (method === 'GET' && action !== 'list' && action !== 'read' && action !== undefined) return undefined;
  return { operation, ...found, inputs: readInputs(index, operation) };
}

/** The words of a path, or of the value after its `#` that names the method: none for other paths. */
function readPathWords(path: string): readonly string[] {
  const [base = '', fragment] = path.split('#');
  // `#Action=DescribeRoom` names a method, `#tagging` a part of the item.
  const target = fragment === undefined ? '' : /^[^=&]+=([^=&]+)/.exec(fragment)?.[1];
  if (target === undefined || /[{?]/.test(path)) return [];
  return `${base}/${target}`.split(/[/.:]/).filter((word) => word !== '' && !PREFIX.test(word));
}

/** A verb and the noun behind it, whose first letter is a capital one. */
const VERB_AND_NOUN = /^([A-Z]?[a-z]+)([A-Z]\w*)$/;

/** Whether a word is a verb with a known meaning and a noun; `setTopic` of `/rooms.setTopic` changes a property. */
function isVerbAndNoun(word: string): boolean {
  const verb = VERB_AND_NOUN.exec(word)?.[1];
  return (
    verb !== undefined && readOwn(VERBS_BEFORE_NOUN, verb.toLowerCase()) !== undefined && toAction(word) === undefined
  );
}

type Reading = Pick<RpcMethod, 'action' | 'isVerbFirst' | 'key' | 'nouns' | 'verb'>;

function readVerbLast(words: readonly string[]): Reading {
  const [nouns, verb = ''] = [words.slice(0, -1), words.at(-1)];
  return { key: nouns.join('.'), nouns, verb, isVerbFirst: false, action: toAction(verb) };
}

function readVerbFirst(index: ContractIndex, operation: Operation, words: readonly string[]): Reading | undefined {
  const [, verb = '', noun = ''] = VERB_AND_NOUN.exec(words.at(-1) ?? '') ?? [];
  if (noun === '') return undefined;
  const own = readOwn(VERBS_BEFORE_NOUN, verb.toLowerCase());
  const action = own === 'read' && isListOf(index, operation, noun) ? 'list' : own;
  const key = [...words.slice(0, -1), '', toBareNoun(noun)].join('.');
  return { key, nouns: [toSingular(noun)], verb, isVerbFirst: true, action };
}

/** Whether a method that reads, with a noun in the plural, answers with a list: `DescribeRooms`. */
function isListOf({ read }: ContractIndex, operation: Operation, noun: string): boolean {
  if (toSingular(noun) === noun) return false;
  const properties = listProperties(read(readAnswerPointer(operation)));
  const isOwn = properties.some(
    ({ name, target }) => toBareNoun(name) === toBareNoun(noun) && read(target)?.type === 'array',
  );
  return isOwn || findListItems(read, operation) !== undefined;
}

function toAction(word: string): Action | undefined {
  const own = readOwn(VERBS, word.toLowerCase());
  if (own !== undefined) return own;
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
