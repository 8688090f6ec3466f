import { means } from '../../../conventions/conventions.js';

/** A JSON object. */
export type Body = Readonly<Record<string, unknown>>;

/** The JSON objects of a request and its answer. */
export interface SentAndShown {
  readonly sent: Body;
  readonly shown: Body;
}

/** Whether an answer has a scalar member as the request has it, such as the `id` of JSON-RPC. */
export function isRepeatedMember(name: string, { sent, shown }: SentAndShown): boolean {
  return Object.hasOwn(sent, name) && typeof sent[name] !== 'object' && sent[name] === shown[name];
}

/**
 * The members that all answers repeat, without those that always have the same value: the service may send that one to every request.
 *
 * @param except - A member that is left out.
 */
export function listRepeatedMembers(calls: readonly SentAndShown[], except?: string): ReadonlySet<string> {
  const names = new Set(calls.flatMap(({ sent }) => Object.keys(sent)));
  const isRepeated = (name: string): boolean => {
    const both = calls.filter(({ sent, shown }) => Object.hasOwn(sent, name) && Object.hasOwn(shown, name));
    const isFixed = new Set(both.map(({ sent }) => sent[name])).size === 1 && !means(name, 'ids.id');
    return both.length > 0 && !isFixed && both.every((call) => isRepeatedMember(name, call));
  };
  return new Set([...names].filter((name) => name !== except && isRepeated(name)));
}
