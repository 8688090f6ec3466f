import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MockError } from '../../base/errors.js';
import type { Contract } from '../../contract/contract.js';
import {
  type Cassette,
  listCassettes,
  loadCassette,
  type StoredExchange,
} from '../../features/recording/cassette/cassette.js';
import { MANIFEST_FILE } from '../../features/recording/cassette/manifest.js';
import { toRequest, writeBody } from '../../features/recording/cassette/recorded-body.js';
import { type CallParts, matchRequest } from '../../features/recording/matching/exchange-index.js';
import { writeTarget } from '../../http/target.js';
import { type GivenRequest, readSent } from './cases.js';
import type { Learned } from './finding.js';

/** Reads the requests of a recording, or of a folder of recordings; equal ones count once. @throws MockError `RECORDING_NOT_FOUND`, `RECORDING_INVALID`. */
export async function readRecordedRequests(
  folder: string,
  parts: CallParts,
): Promise<{ readonly given: readonly GivenRequest[]; readonly skipped: readonly Learned[] }> {
  const isOne = existsSync(join(folder, MANIFEST_FILE));
  const folders = isOne ? [folder] : listCassettes(folder).map((name) => join(folder, name));
  if (folders.length === 0) {
    const hint = 'name a recording, or a folder of recordings';
    throw new MockError('RECORDING_NOT_FOUND', 'the folder has no recordings', { at: { file: folder }, hint });
  }
  const given = new Map<string, GivenRequest>();
  const skipped: Learned[] = [];
  for (const cassette of folders.map(loadCassette)) {
    const [mistake] = cassette.mistakes;
    if (mistake !== undefined) throw mistake;
    for (const exchange of cassette.exchanges) {
      const read = await readExchange(exchange, cassette, parts);
      if ('message' in read) skipped.push(read);
      else if (!given.has(read.key)) given.set(read.key, read);
    }
  }
  return { given: [...given.values()], skipped };
}

/** Fields of one connection, and those that ask for a part of an answer, or for none if it has not changed: few documents declare these statuses. */
const NOT_SENT = /^(?:host|content-length|expect|accept-encoding|range|if-.*)$/;

async function readExchange(
  { request, response, file }: StoredExchange,
  { name, folder, manifest }: Cassette,
  parts: CallParts,
): Promise<(GivenRequest & { readonly key: string }) | Learned> {
  const recorded = `${name}/${file}`;
  const target = writeTarget(request);
  const body = writeBody(folder, request);
  const match = matchRequest(toRequest(request, target, undefined), parts.router);
  if (match.kind !== 'operation') {
    return {
      operation: `${request.method} ${request.path}`,
      message: `the document has no such operation (${recorded})`,
    };
  }
  const { operation, basePath } = match;
  const declared = new Set(operation.parameters.map((each) => each.name.toLowerCase()));
  const fields = Object.entries(request.headers).filter(([each]) => declared.has(each) || !NOT_SENT.test(each));
  const sent = { method: request.method, headers: Object.fromEntries(fields) };
  const create = (): Request => toRequest(sent, withoutBase(target, basePath), body);
  const read = await readSent(parts, create());
  if (read?.call.operation.id !== operation.id)
    return { operation: operation.id, message: `its path is another one below the base URL (${recorded})` };
  const { mistake, call } = read;
  const bytes = Buffer.from(body ?? []).toString('latin1');
  const compared = JSON.stringify([
    request.path,
    withoutCredentials('query', Object.entries(request.query), parts.contract),
    withoutCredentials('header', fields, parts.contract),
    bytes,
  ]);
  if (mistake !== undefined && Object.keys(manifest.redacted).some((placeholder) => compared.includes(placeholder)))
    return { operation: operation.id, message: `a secret was removed from its request (${recorded})` };
  const isRefused = response === undefined || response.status >= 400;
  const wants = mistake !== undefined ? 'refused' : isRefused ? 'any' : 'success';
  const own = { operation, name: `recording ${recorded}`, wants, mistake, hasMadeValues: true } as const;
  const key = JSON.stringify([sent, target, bytes]);
  return { operation, key, toCase: () => Promise.resolve({ ...own, request: create, path: call.path }) };
}

/** The target below a base path, whose segments may have been variables. */
function withoutBase(target: string, basePath: string): string {
  const count = basePath.split('/').filter((segment) => segment !== '').length;
  const below = target.split('/').slice(count + 1);
  return `/${below.join('/')}`;
}

type Field = readonly [name: string, value: unknown];

/** The fields or parameters that no credential of the user replaces. */
function withoutCredentials(
  place: 'header' | 'query',
  fields: readonly Field[],
  { securitySchemes }: Contract,
): readonly Field[] {
  const schemes = Object.entries(securitySchemes).filter(([, scheme]) => scheme.in === place);
  const keys = schemes.map(([name, { key = name }]) => (place === 'header' ? key.toLowerCase() : key));
  const names = place === 'header' ? ['authorization', 'cookie', ...keys] : keys;
  return fields.filter(([name]) => !names.includes(name));
}
