import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../../http/answer.js';
import { writeEvent } from '../../../http/event-stream.js';
import { omitFields, readContentType, readField } from '../../../http/header-fields.js';
import type { Call } from '../../../http/request/call.js';
import type { StoredExchange } from '../../../recording/cassette/cassette.js';
import type { CutOff, RecordedResponse } from '../../../recording/cassette/exchange.js';
import { writeBody } from '../../../recording/cassette/recorded-body.js';
import { MEMORY_LIMIT_BYTES } from '../../../recording/upstream/received.js';
import { isStream } from '../../../http/response/encode.js';
import { formatMiss } from '../../../recording/matching/match.js';
import type { OpenedCassette, Recordings } from '../../../recording/recordings.js';
import type { AnswerSource, Exchange, Next } from '../../chain.js';
import { NO_RETRY } from '../../error-answers.js';
import {
  answerFailure,
  EMPTY_STATUSES,
  readContent,
  type RecordedContent,
  type RecordingSourceParts,
  toReportHeaders,
} from './forward.js';

/**
 * Answers from recordings. A call without a recording is passed to the upstream (`record-missing`) or to the mock (if owners
 * were configured); otherwise the answer is 501 with the most similar recordings.
 */
export function createReplaySource({ recordings, errors }: RecordingSourceParts): AnswerSource {
  const prepared = new WeakMap<StoredExchange, Answer>();
  return {
    name: 'replay',
    onInvalid: 'report',
    answer: (exchange, next) => {
      const { call, session } = exchange;
      if (recordings.owners.ownerOf(call.operation.id) !== 'replay') {
        exchange.note('replay: the operation is not answered from recordings');
        return next();
      }
      const cassette = recordings.current(session.replay);
      const sequence = cassette?.matcher.find(call);
      const records = recordings.mode === 'record-missing';
      if (cassette === undefined || sequence === undefined)
        return miss(exchange, next, { recordings, errors, cassette });
      if (records && session.replay.isSpent(cassette.name, sequence)) {
        exchange.note(`replay: all ${sequence.exchanges.length} recordings have been replayed`);
        return next();
      }
      const turn = session.replay.next(cassette.name, sequence);
      const repeated = turn.isRepeated ? ', repeated: it is the last of the sequence' : '';
      exchange.note(`replay: ${turn.exchange.file} (${turn.position} of ${sequence.exchanges.length}${repeated})`);
      const known = prepared.get(turn.exchange);
      const answer = known ?? toAnswer(cassette, turn.exchange, { call, recordings, errors });
      // A stream can be read once.
      if (known === undefined && !isStream(answer.body)) prepared.set(turn.exchange, answer);
      const headers = toReportHeaders(call);
      const paced = pace(answer, turn.exchange, { recordings, exchange });
      return headers === undefined ? paced : { ...paced, headers: { ...paced.headers, ...headers } };
    },
  };
}

function miss(
  exchange: Exchange,
  next: Next,
  parts: RecordingSourceParts & { readonly cassette: OpenedCassette | undefined },
): Answer | undefined | Promise<Answer | undefined> {
  const { recordings, errors, cassette } = parts;
  const { call, session } = exchange;
  if (recordings.mode === 'record-missing') {
    exchange.note('replay: not recorded yet');
    return next();
  }
  const message =
    cassette === undefined
      ? `no cassette is selected for ${call.method} ${call.url} (${call.operation.id})`
      : formatMiss(call, cassette.name, cassette.matcher.nearest(call));
  for (const line of message.split('\n')) exchange.note(`replay: ${line.trim()}`);
  if (recordings.owners.isHybrid) return next();
  session.replay.miss({ operation: call.operation.id, method: call.method, url: call.url, message });
  const refusal = { status: 501, message, code: 'not_recorded', headers: NO_RETRY, from: 'replay:miss' };
  return errors.answer(call.operation, refusal);
}

function toAnswer(
  cassette: OpenedCassette,
  exchange: StoredExchange,
  { call, recordings, errors }: RecordingSourceParts & { readonly call: Call },
): Answer {
  const from = `replay:${exchange.file}`;
  const { response, failure } = exchange;
  if (response === undefined) {
    return answerFailure(errors, call.operation, { kind: 'reset', message: 'the connection failed', ...failure, from });
  }
  const { status, reason, headers } = response;
  const { body, value } = readBody(cassette.read().folder, response, call.method);
  const violations = recordings.check(call.operation, { status, headers, body: value });
  return {
    status,
    reason,
    // The encoder sends the media type of a body; an answer without one may have it too.
    headers: body === undefined ? headers : omitFields(headers, ['content-type']),
    body,
    mediaType: body === undefined ? undefined : readField(headers, 'content-type'),
    from,
    violations,
    violates: 'it is a recorded answer',
    checked: { body },
  };
}

/** The body to send, and the value to check. */
function readBody(folder: string, response: RecordedResponse, method: string): RecordedContent {
  if (method === 'HEAD' || EMPTY_STATUSES.has(response.status)) return { body: undefined, value: undefined };
  const { bodyText: text, headers } = response;
  const isText = text !== undefined && response.events === undefined && response.cut === undefined;
  if (isText && readContentType(headers)?.startsWith('text/') === true) return { body: text, value: text };
  const file = response.bodyFile === undefined ? undefined : join(folder, response.bodyFile);
  if (file !== undefined && statSync(file).size > MEMORY_LIMIT_BYTES) {
    return { body: breakAfter(createReadStream(file), response.cut), value: undefined };
  }
  const content = readContent(writeBody(folder, response) ?? new Uint8Array(), headers);
  if (response.cut === undefined) return content;
  const bytes = content.body instanceof Uint8Array ? content.body : Buffer.from(JSON.stringify(content.body));
  return { body: breakAfter([bytes], response.cut), value: undefined };
}

/** The chunks of a body; after those of an incomplete one the connection breaks. */
async function* breakAfter(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  cut: CutOff | undefined,
): AsyncGenerator<Uint8Array> {
  yield* chunks;
  if (cut !== undefined) throw new Error(`the recorded response was cut off by the ${cut}`);
}

/** Replays an event stream at its recorded speed on the clock of delays, if that is configured. */
function pace(
  answer: Answer,
  { response }: StoredExchange,
  { recordings, exchange }: { readonly recordings: Recordings; readonly exchange: Exchange },
): Answer {
  if (response?.events === undefined || recordings.pace !== 'recorded') return answer;
  const body = play(response, exchange.clock.sleep);
  return { ...answer, body, checked: { body } };
}

async function* play(
  { events = [], bodyText = '', cut }: RecordedResponse,
  sleep: (ms: number) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  // The exact text of each event with the empty line after it, if the text has as many.
  const texts = bodyText.split(/(?<=\r\n\r\n|\n\n|\r\r)(?!$)/);
  let at = 0;
  for (const [i, event] of events.entries()) {
    if (event.atMs > at) await sleep(event.atMs - at);
    at = Math.max(at, event.atMs);
    yield Buffer.from(texts.length === events.length && bodyText !== '' ? (texts[i] ?? '') : writeEvent(event));
  }
  yield* breakAfter([], cut);
}
