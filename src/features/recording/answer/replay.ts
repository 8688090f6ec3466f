import { createReadStream, statSync } from 'node:fs';
import type { Answer } from '../../../http/answer.js';
import { writeEvent } from '../../../http/event-stream.js';
import { type HeaderFields, mapFields, omitFields, readContentType, readField } from '../../../http/header-fields.js';
import { type StoredExchange, toBodyPath } from '../cassette/cassette.js';
import type { CutOff, RecordedResponse } from '../cassette/exchange.js';
import { writeBody } from '../cassette/recorded-body.js';
import { MAX_VALUE_BYTES } from '../../../http/json-size.js';
import { EMPTY_STATUSES, isStream } from '../../../http/response/encode.js';
import type { MatchedSequence } from '../matching/exchange-index.js';
import { formatMiss } from '../matching/match.js';
import type { OpenedCassette } from '../cassettes.js';
import type { AnswerSource, Exchange, Next } from '../../../answer/chain.js';
import { NO_RETRY } from '../../../answer/error-answers.js';
import type { RecordingSourceParts } from './forward.js';
import {
  answerFailure,
  listUnread,
  readContent,
  type RecordedContent,
  toReportHeaders,
  toUnread,
} from './recorded-answer.js';
import { replaceValues } from '../matching/volatile.js';
import { hasUrls, type OwnBase, readOwnBase, toUpstreamCall } from './own-urls.js';
import { isBytes } from '../../../base/platform.js';
import { replayOf } from '../matching/replay-slot.js';

/**
 * Answers from recordings. A call without a recording is passed to the upstream (`record-missing`) or to the mock (if owners
 * were configured); otherwise the answer is 501 with the most similar recordings.
 */
export function createReplaySource(parts: RecordingSourceParts): AnswerSource {
  const { recordings } = parts;
  const prepared = new WeakMap<StoredExchange, Answer>();
  return {
    name: 'replay',
    onInvalid: 'report',
    answer: (exchange, next) => {
      const { call, session } = exchange;
      if (recordings.owners.ownerOf(call.operation.id) !== 'replay') {
        exchange.note('replay: the operation is not answered from recordings');
        return next(exchange);
      }
      const cassette = recordings.current(replayOf(session));
      const sequence = cassette && findSequence(cassette, exchange, parts);
      if (cassette === undefined || sequence === undefined) return miss(exchange, next, { ...parts, cassette });
      if (recordings.fillsGaps(replayOf(session)) && replayOf(session).isSpent(cassette.positions, sequence)) {
        exchange.note(`replay: all ${sequence.exchanges.length} recordings have been replayed`);
        return next(exchange);
      }
      const turn = replayOf(session).next(cassette.positions, sequence);
      const repeated = turn.isRepeated ? ', repeated: it is the last of the sequence' : '';
      exchange.note(`replay: ${turn.exchange.file} (${turn.position} of ${sequence.exchanges.length}${repeated})`);
      const replayed = { ...parts, cassette, exchange, stored: turn.exchange };
      replayOf(session).learn(sequence.replaced?.get(turn.exchange) ?? []);
      let answer = replayOf(session).values === undefined ? prepared.get(turn.exchange) : undefined;
      if (answer === undefined) {
        const changes = createChanges(replayed);
        answer = toAnswer(replayed, changes);
        // A stream can be read once.
        if (!changes.areMade() && !isStream(answer.body)) prepared.set(turn.exchange, answer);
      }
      const headers = toReportHeaders(call);
      const reported = headers === undefined ? answer : { ...answer, headers: { ...answer.headers, ...headers } };
      return recordings.pace === 'recorded' ? pace(reported, replayed, createChanges(replayed)) : reported;
    },
  };
}

/** The recorded exchanges that a call matches, also with URLs of the upstream in place of URLs of the mock. */
function findSequence(
  { matcher, read }: OpenedCassette,
  exchange: Exchange,
  { ownUrls }: RecordingSourceParts,
): MatchedSequence | undefined {
  const { call, session } = exchange;
  const { values } = replayOf(session);
  const sent = toUpstreamCall(exchange, read().manifest.upstream, ownUrls);
  return matcher.find(sent, values) ?? (sent === call ? undefined : matcher.find(call, values));
}

/** A recorded exchange that answers a call. */
interface Replayed extends RecordingSourceParts {
  readonly cassette: OpenedCassette;
  readonly exchange: Exchange;
  readonly stored: StoredExchange;
}

type Changes = ReturnType<typeof createChanges>;

/** Puts URLs of the mock in place of URLs of the recorded upstream, and values of the client in place of recorded ones. */
function createChanges({ cassette, exchange, ownUrls }: Replayed) {
  const own = ownUrls(cassette.read().manifest.upstream);
  const { values } = replayOf(exchange.session);
  // The values of the client in place of those that were recorded.
  const sent = values && new Map([...values].map(([received, recorded]) => [recorded, received]));
  let base: OwnBase | undefined;
  const readBase = (): OwnBase => (base ??= readOwnBase(exchange));
  const changeText = (text: string): string => (sent === undefined ? text : replaceValues(text, sent));
  return {
    fields: (headers: HeaderFields): HeaderFields => {
      const fields = own?.mentions(headers) === true ? own.fields(headers, readBase()) : headers;
      return mapFields(fields, (_, text) => changeText(text));
    },
    body: (bytes: Uint8Array, headers: HeaderFields): Uint8Array => {
      const ownBytes = (own?.mentions(bytes) === true ? own.body(bytes, headers, readBase()) : undefined) ?? bytes;
      return sent === undefined
        ? ownBytes
        : Buffer.from(changeText(Buffer.from(ownBytes).toString('latin1')), 'latin1');
    },
    text: changeText,
    stream: (chunks: AsyncIterable<Uint8Array>, headers: HeaderFields): AsyncIterable<Uint8Array> =>
      own !== undefined && hasUrls(headers) ? own.stream(chunks, readBase()) : chunks,
    /** Whether something was changed, so that the answer is that of one client. */
    areMade: (): boolean => base !== undefined || sent !== undefined,
  };
}

function miss(
  exchange: Exchange,
  next: Next,
  parts: RecordingSourceParts & { readonly cassette: OpenedCassette | undefined },
): Answer | undefined | Promise<Answer | undefined> {
  const { recordings, errors, cassette } = parts;
  const { call, session } = exchange;
  if (recordings.fillsGaps(replayOf(session))) {
    exchange.note('replay: not recorded yet');
    return next(exchange);
  }
  const mistakes = cassette?.read().mistakes ?? [];
  const message =
    cassette === undefined
      ? `no cassette is selected for ${call.method} ${call.url} (${call.operation.id})`
      : formatMiss(call, { name: cassette.name, mistakes }, cassette.matcher.nearest(call));
  for (const line of message.split('\n')) exchange.note(`replay: ${line.trim()}`);
  if (recordings.owners.isHybrid) return next(exchange);
  replayOf(session).miss({ operation: call.operation.id, method: call.method, url: call.url, message });
  const code = mistakes.length === 0 ? 'not_recorded' : 'recording_invalid';
  const refusal = { status: 501, message, code, headers: NO_RETRY, from: 'replay', detail: 'miss' };
  return errors.answer(call.operation, refusal);
}

function toAnswer(replayed: Replayed, changes: Changes): Answer {
  const { recordings, errors, exchange, stored } = replayed;
  const { call } = exchange;
  const origin = { from: 'replay', detail: stored.file };
  const { response, failure } = stored;
  if (response === undefined) {
    return answerFailure(errors, call.operation, {
      kind: 'reset',
      message: 'the connection failed',
      ...failure,
      ...origin,
    });
  }
  const { status, reason } = response;
  const headers = changes.fields(response.headers);
  const content = readBody(replayed, response, changes);
  const { body, value } = content;
  const violations = [...recordings.check(call.operation, { status, headers, body: value }), ...listUnread(content)];
  return {
    status,
    reason,
    // The encoder sends the media type of a body; an answer without one may have it too.
    headers: body === undefined ? headers : omitFields(headers, ['content-type']),
    body,
    mediaType: body === undefined ? undefined : readField(headers, 'content-type'),
    ...origin,
    violations,
    violates: 'it is a recorded answer',
    checked: { body },
  };
}

/** The body to send, and the value to check. */
function readBody({ cassette, exchange }: Replayed, response: RecordedResponse, changes: Changes): RecordedContent {
  const isEmpty = exchange.call.method === 'HEAD' || EMPTY_STATUSES.has(response.status);
  if (isEmpty) return { body: undefined, value: undefined };
  const { folder } = cassette.read();
  const { bodyText: text, headers } = response;
  const isText = text !== undefined && response.events === undefined && response.cut === undefined;
  if (isText && readContentType(headers)?.startsWith('text/') === true) {
    const changed = changes.text(text);
    return { body: changed, value: changed };
  }
  const file = response.bodyFile === undefined ? undefined : toBodyPath(folder, response.bodyFile);
  if (file !== undefined && statSync(file).size > MAX_VALUE_BYTES) {
    const chunks = changes.stream(createReadStream(file), headers);
    return toUnread(breakAfter(chunks, response.cut));
  }
  const content = readContent(changes.body(writeBody(folder, response) ?? new Uint8Array(), headers), headers);
  if (response.cut === undefined) return content;
  const bytes = isBytes(content.body) ? content.body : Buffer.from(JSON.stringify(content.body));
  return { body: breakAfter([bytes], response.cut), value: undefined };
}

/** The chunks of a body; after the chunks of an incomplete body the connection breaks. */
async function* breakAfter(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  cut: CutOff | undefined,
): AsyncGenerator<Uint8Array> {
  yield* chunks;
  if (cut !== undefined) throw new Error(`the recorded response was cut off by the ${cut}`);
}

/** Answers at the recorded speed, on the clock of delays: after the recorded time, and events with the time between them. */
async function pace(answer: Answer, { stored, exchange }: Replayed, changes: Changes): Promise<Answer> {
  const { response, elapsedMs } = stored;
  const waitMs = elapsedMs - (response?.events?.at(-1)?.atMs ?? 0);
  if (waitMs > 0) await exchange.clock.sleep(waitMs);
  if (response?.events === undefined) return answer;
  const body = changes.stream(play(response, exchange.clock.sleep), response.headers);
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
