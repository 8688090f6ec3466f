import type { Call } from '../../http/request/call.js';
import type { Ownership } from '../../recording/recordings.js';
import type { AnswerSource } from '../answer-source.js';

const SHOWN = 3;

/**
 * The departures of the client as a header, for answers that come although the call breaks the contract: an upstream or a
 * recording answers what the mock itself would refuse. Undefined where there are none.
 */
export function toReportHeaders(call: Call): Readonly<Record<string, string>> | undefined {
  const mistakes = call.violations.filter(({ severity }) => severity === 'error');
  if (mistakes.length === 0) return undefined;
  const shown = mistakes.slice(0, SHOWN).map(({ code, message }) => `${code} ${message}`);
  const more = mistakes.length > SHOWN ? [`and ${mistakes.length - SHOWN} more`] : [];
  return { 'x-mock-request-violations': [...shown, ...more].join('; ') };
}

/** A source that leaves alone the operations which recordings or an upstream answer. */
export function onlyForMock(source: AnswerSource, ownership: Ownership): AnswerSource {
  return {
    name: source.name,
    answer: (exchange, next) =>
      ownership.ownerOf(exchange.call.operation.id) === 'mock' ? source.answer(exchange, next) : next(),
  };
}
