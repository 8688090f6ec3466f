import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { URL, URLSearchParams } from 'node:url';
import { isObject, parseOrKeep } from '../../../base/json.js';
import { toDoubles } from '../../../base/exact-json.js';
import { isJsonType } from '../../../contract/media-type.js';
import { createLineFinder } from '../../../contract/load/source-map.js';
import { readEntries, readString, toPointer } from '../../../contract/pointer.js';
import { loadCassette, type StoredExchange } from '../../../features/recording/cassette/cassette.js';
import { loadBody, readText, writeBody } from '../../../features/recording/cassette/recorded-body.js';
import { type HarEntry, readHar } from '../../../features/recording/har.js';
import { type HeaderFields, readContentType } from '../../../http/header-fields.js';
import { writeTarget } from '../../../http/target.js';
import { readJournalFile } from '../../../journal/journal-file.js';
import type { FileExchange } from './exchange.js';

type Members = Readonly<Record<string, unknown>>;

/** The exchanges of a cassette. @throws MockError `RECORDING_INVALID`. */
export function readCassette(folder: string): readonly FileExchange[] {
  const { exchanges, mistakes } = loadCassette(folder);
  const [mistake] = mistakes;
  if (mistake !== undefined) throw mistake;
  return exchanges.map((exchange) => fromStored(folder, exchange));
}

function fromStored(folder: string, { file, request, response }: StoredExchange): FileExchange {
  const path = join(folder, file);
  const lines = createLineFinder(() => readFileSync(path, 'utf8'));
  const bytes = response === undefined ? undefined : writeBody(folder, response);
  return {
    kind: 'recording',
    locate: (side, pointer) => {
      const at = `/${side}${pointer === '' ? '' : `/body${pointer}`}`;
      return { file: path, ...lines(at), pointer: at };
    },
    method: request.method,
    target: writeTarget(request),
    headers: request.headers,
    body: writeBody(folder, request),
    response: response && {
      status: response.status,
      headers: response.headers,
      body: toDoubles(loadBody(folder, response).body) ?? (bytes === undefined ? undefined : (readText(bytes) ?? '')),
      isExpectation: false,
    },
  };
}

/** The exchanges of a HAR. @throws MockError `RECORDING_INVALID`. */
export function readHarExchanges(file: string): readonly FileExchange[] {
  return readHar(file).flatMap((entry, i): readonly FileExchange[] => {
    if (entry.incomplete !== undefined) return [];
    const { pathname, search } = new URL(entry.url);
    return [
      {
        kind: 'HAR',
        locate: (side) => ({ file, pointer: `/log/entries/${i}/${side}` }),
        method: entry.method,
        target: pathname + search,
        headers: entry.headers,
        body: entry.body,
        response: readHarResponse(entry),
      },
    ];
  });
}

function readHarResponse({ status, responseHeaders: headers, responseBody }: HarEntry): FileExchange['response'] {
  // Without a response, and 304, whose body the client had.
  if (status < 200 || status === 304) return undefined;
  const text = responseBody === undefined ? undefined : (readText(responseBody) ?? '');
  const isJson = isJsonType(readContentType(headers) ?? '');
  return { status, headers, body: text !== undefined && isJson ? parseOrKeep(text) : text, isExpectation: false };
}

/** The interactions of a Pact file of version 1 to 4. */
export function readPactExchanges(file: string, pact: Members): readonly FileExchange[] {
  const lines = createLineFinder(() => readFileSync(file, 'utf8'));
  const interactions = Array.isArray(pact['interactions']) ? pact['interactions'].map(toMembers) : [];
  return interactions.flatMap((interaction, i): readonly FileExchange[] => {
    const [request, response] = [toMembers(interaction['request']), toMembers(interaction['response'])];
    // Version 4 has messages as well.
    if (typeof request['method'] !== 'string' || typeof request['path'] !== 'string') return [];
    const [sent, answered] = [readPactBody(request), readPactBody(response)];
    const answerHeaders = readPactHeaders(response, answered.type);
    return [
      {
        kind: 'Pact',
        locate: (side, pointer) => {
          const isNested = pointer !== '' && readPactBody(toMembers(interaction[side])).isWrapped;
          const inside = pointer === '' ? '' : `/body${isNested ? '/content' : ''}${pointer}`;
          const at = `/interactions/${i}/${side}${inside}`;
          return { file, ...lines(at), pointer: at };
        },
        method: request['method'].toUpperCase(),
        target: request['path'] + readPactQuery(request['query']),
        headers: readPactHeaders(request, sent.type),
        body: typeof sent.value === 'string' || sent.value === undefined ? sent.value : JSON.stringify(sent.value),
        response: {
          status: typeof response['status'] === 'number' ? response['status'] : 200,
          headers: answerHeaders,
          body: answered.value,
          isExpectation: true,
        },
      },
    ];
  });
}

function toMembers(value: unknown): Members {
  return isObject(value) ? value : {};
}

/** A body, which version 4 wraps in an object with its media type. */
function readPactBody({ body }: Members): {
  readonly value: unknown;
  readonly type: string | undefined;
  readonly isWrapped: boolean;
} {
  if (isObject(body) && 'content' in body && ('contentType' in body || 'encoded' in body)) {
    const type = readString(body['contentType']);
    const isText = body['encoded'] !== undefined && body['encoded'] !== false && typeof body['content'] === 'string';
    const text = isText ? Buffer.from(String(body['content']), 'base64').toString('utf8') : body['content'];
    const value = isText && isJsonType(type ?? '') ? parseOrKeep(String(text)) : text;
    return { value, type, isWrapped: true };
  }
  const isJson = body !== undefined && body !== null && typeof body !== 'string';
  return { value: body ?? undefined, type: isJson ? 'application/json' : undefined, isWrapped: false };
}

function readPactHeaders({ headers }: Members, type: string | undefined): HeaderFields {
  const own = Object.fromEntries(
    readEntries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat().map(String).join(', ')]),
  );
  return type === undefined || own['content-type'] !== undefined ? own : { ...own, 'content-type': type };
}

/** A query, which version 2 has as text. */
function readPactQuery(query: unknown): string {
  if (typeof query === 'string') return query === '' ? '' : `?${query}`;
  const pairs = readEntries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, String(value)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

/** The calls of a journal; what it answered was made by the mock of the old document. @throws MockError `JOURNAL_UNREADABLE`. */
export function readJournalExchanges(file: string): readonly FileExchange[] {
  return readJournalFile(file).flatMap(({ line, interaction }): readonly FileExchange[] => {
    const { request, answer } = interaction;
    const { method, url, headers, body } = request;
    const isJson = isJsonType(readContentType(headers) ?? '');
    // A body that is not JSON was decoded, and cannot be sent again as it was; a call that the mock refused was invalid before.
    if ((body !== undefined && !isJson) || answer.status >= 400) return [];
    return [
      {
        kind: 'journal',
        locate: (_side, pointer) => ({ file, line, pointer: toPointer('request', 'body') + pointer }),
        method,
        target: url,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        response: undefined,
      },
    ];
  });
}
