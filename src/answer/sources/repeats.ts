import { filterMembers, isObject } from '../../base/json.js';
import type { Answer } from '../../http/answer.js';
import { listRepeatsHint } from '../../contract/operations/repeated.js';
import { type AnswerSource, type Exchange, whenSettled } from '../chain.js';

/** Gives answers the members of the request that the hint `repeats` names, such as the `id` of JSON-RPC. */
export function createRepeatsSource(): AnswerSource {
  const repeat = (answer: Answer | undefined, { call }: Exchange): Answer | undefined => {
    const names = listRepeatsHint(call.operation);
    const { body: sent } = call;
    if (answer === undefined || names.length === 0 || !isObject(answer.body) || !isObject(sent)) return answer;
    const given = filterMembers(sent, (name) => names.includes(name));
    const body = { ...filterMembers(answer.body, (name) => !names.includes(name)), ...given };
    // What a source has checked is not checked again, as the body of an error that has another schema.
    return { ...answer, body, checked: answer.checked?.body === answer.body ? { body } : undefined };
  };
  return { name: 'repeats', answer: (exchange, next) => whenSettled(next(exchange), repeat, exchange) };
}
