import { digestText } from '../../../contract/load/cache.js';
import type { Answer } from '../../../http/answer.js';
import type { Binding } from '../../../state/resource.js';
import { chooseDeclared, type StateHandler, type StateKit } from './kit.js';

interface Remembered {
  /** A digest of what was asked: bodies can be large, and a thousand of them are remembered. */
  readonly request: string;
  readonly answer: Answer;
}

/**
 * Makes a POST or PATCH safe to repeat: with one `Idempotency-Key` and one body it happens once and is answered the same every
 * time; with another body it is a conflict. Answers of 500 and above are not remembered, so that a retry is a new attempt.
 */
export function withIdempotency(kit: StateKit, binding: Binding, handler: StateHandler): StateHandler {
  const { operation } = binding;
  if (operation.method !== 'POST' && operation.method !== 'PATCH') return handler;
  return (exchange) => {
    const { call, session } = exchange;
    const key = call.headers.get('idempotency-key');
    if (key === null || key === '') return handler(exchange);
    const name = `${operation.id}\0${key}`;
    const request = digestText(JSON.stringify([call.path, call.query, call.body], toPlain));
    // Only this function remembers answers, and under this kind of name.
    const known = session.store.recallAnswer(name) as Remembered | undefined;
    if (known !== undefined) {
      if (known.request === request) {
        exchange.note(`state: Idempotency-Key ${JSON.stringify(key)} was seen before; the same answer again`);
        return known.answer;
      }
      const message = `the Idempotency-Key ${JSON.stringify(key)} was used before with another request`;
      exchange.note(`state: ${message}`);
      const status = chooseDeclared(binding, [409, 422, 400, 409]);
      return kit.errors.answer(operation, {
        status,
        message,
        code: 'idempotency_key_reused',
        param: 'Idempotency-Key',
        from: 'state',
      });
    }
    const answer = handler(exchange);
    if (answer === undefined || answer.status >= 500) return answer;
    session.store.rememberAnswer(name, { request, answer } satisfies Remembered);
    return answer;
  };
}

/** Bytes as text, so that two uploads of the same bytes are the same request. */
function toPlain(_name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}
