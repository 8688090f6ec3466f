import { STATUS_CODES } from 'node:http';
import type { Contract } from '../../contract/contract.js';
import { type HeaderFields, listFields, readContentType, readField } from '../../http/header-fields.js';
import { toUpstreamTarget, writeTarget } from '../../http/target.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { type RecordedBody } from '../cassette/exchange.js';
import { writeBody } from '../cassette/recorded-body.js';
import { writeHar } from './har.js';

/** What an export is made with. */
interface HarExportParts {
  readonly contract: Contract;
  /** Base URL of the entries; default the upstream of the cassette. */
  readonly base: string | undefined;
  /** The version of vouch, named as the creator. */
  readonly version: string;
}

/** A cassette as a HAR 1.2 file that browsers, Playwright and others open. Connections that failed have no place in one. */
export function exportHar(cassette: Cassette, { contract, base, version }: HarExportParts): string {
  const url = new URL(base ?? cassette.manifest.upstream);
  const entries = cassette.exchanges.flatMap((exchange) => {
    const operation = contract.operation(exchange.operation);
    const target = writeTarget(exchange.request);
    const address = url.origin + (operation === undefined ? target : toUpstreamTarget(url, operation, target));
    return exchange.response === undefined ? [] : [toEntry(cassette.folder, exchange, address)];
  });
  return writeHar(entries, version);
}

function toEntry(folder: string, exchange: StoredExchange, address: string): object {
  const { request, response, elapsedMs, recordedAt } = exchange;
  const body = writeBody(folder, request, request.headers);
  const content = response === undefined ? undefined : writeBody(folder, response, response.headers);
  const type = request.headers['content-type'];
  return {
    startedDateTime: recordedAt,
    time: elapsedMs,
    request: {
      method: request.method,
      url: address,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: toFields(request.headers),
      queryString: [...new URL(address).searchParams].map(([name, value]) => ({ name, value })),
      ...(body === undefined ? {} : { postData: { mimeType: String(type ?? ''), ...toText(body, request) } }),
      headersSize: -1,
      bodySize: body?.byteLength ?? 0,
    },
    response: {
      status: response?.status ?? 0,
      statusText: STATUS_CODES[response?.status ?? 0] ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: toFields(response?.headers ?? {}),
      content: {
        size: content?.byteLength ?? 0,
        mimeType: readContentType(response?.headers ?? {}) ?? 'x-unknown',
        ...(content === undefined ? {} : toText(content, response ?? {})),
      },
      redirectURL: readField(response?.headers ?? {}, 'location') ?? '',
      headersSize: -1,
      bodySize: content?.byteLength ?? 0,
    },
    cache: {},
    timings: { send: 0, wait: elapsedMs, receive: 0 },
  };
}

function toFields(headers: HeaderFields): readonly object[] {
  return listFields(headers).map(([name, value]) => ({ name, value }));
}

/** Bodies that were recorded as text stay readable; everything else is base64. */
function toText(bytes: Uint8Array, body: RecordedBody): object {
  const isText = body.body !== undefined || body.bodyText !== undefined || body.events !== undefined;
  return isText
    ? { text: Buffer.from(bytes).toString('utf8') }
    : { text: Buffer.from(bytes).toString('base64'), encoding: 'base64' };
}
