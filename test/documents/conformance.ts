import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { load } from 'js-yaml';
import { findResponse } from '../../src/contract/operations/responses.js';
import { findMedia } from '../../src/contract/media-type.js';
import { createMock, MockError, type Mock, type MockOptions } from '../../src/index.js';
import { sendRequest } from '../send-request.js';
import { createSecondCheck, type SecondCheck } from '../sweep/second-validator.js';
import { type Captured, findDifference, fitsText } from './match.js';
import type { CallStep, Case } from './read-cases.js';

/** How a call gets to the mock. */
export type Reach = 'in-process' | 'socket';

interface Came {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** A mock of a case, and what is needed to judge its answers. */
interface Open {
  readonly mock: Mock;
  readonly url: string;
  readonly secondCheck: SecondCheck;
}

/** Runs one case from its start to its last call. @throws Error that says which line of the page is not so. */
export async function runCase(given: Case, reach: Reach): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-document-'));
  const captured: Captured = new Map();
  let open: Open | undefined;
  const restart = async (options: string): Promise<Open | undefined> => {
    await open?.mock.close();
    return start(given, { folder, reach, options });
  };
  try {
    await writeFiles(folder, given.files);
    open = await restart('');
    for (const step of given.steps) {
      if (step.kind === 'restart') open = await restart(step.options);
      else if (open === undefined) throw new Error(`line ${step.line}: nothing started that could answer`);
      else if (step.reach === 'both' || step.reach === reach) await runCall(step, open, captured);
    }
  } finally {
    await open?.mock.close();
    await rm(folder, { recursive: true });
  }
}

async function writeFiles(folder: string, files: Case['files']): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    const isBare = name === 'openapi.yaml' && !/^(openapi|swagger|"?\{|info:)/m.test(text);
    await writeFile(path, isBare ? `openapi: 3.1.0\ninfo: {title: Small, version: '1'}\n${text}` : text);
  }
}

interface StartParts {
  readonly folder: string;
  readonly reach: Reach;
  /** YAML, over those of the case. */
  readonly options: string;
}

async function start(given: Case, { folder, reach, options }: StartParts): Promise<Open | undefined> {
  // Only the contract speaks, unless a case is about more.
  const settings = { state: false, ...readYaml(given.options), ...readYaml(options) } as Partial<MockOptions>;
  const wanted = given.start?.split('\n').filter((line) => line !== '') ?? [];
  try {
    const mock = await createMock({ ...settings, spec: join(folder, 'openapi.yaml') });
    const found = mock.contract.problems.map(
      ({ code, at, message, assumed }) =>
        `${code} #${at.pointer ?? ''} ${message}${assumed === undefined ? '' : `; ${assumed}`}`,
    );
    compareLines(wanted, found, 'the problems at start');
    const url = reach === 'socket' ? (await mock.listen()).url : 'http://in-process.test';
    return { mock, url, secondCheck: createSecondCheck(mock.contract) };
  } catch (error) {
    if (!(error instanceof MockError)) throw error;
    compareLines(wanted, [error.toString()], 'the start');
    return undefined;
  }
}

function compareLines(wanted: readonly string[], found: readonly string[], what: string): void {
  const missing = wanted.filter((line) => !found.some((one) => fitsText(line, one)));
  const surplus = found.filter((one) => !wanted.some((line) => fitsText(line, one)));
  if (missing.length + surplus.length === 0) return;
  throw new Error(`${what}\n  not found: ${missing.join('\n    ')}\n  not expected: ${surplus.join('\n    ')}`);
}

function readYaml(text: string): object {
  return (text === '' ? {} : load(text)) as object;
}

async function runCall(step: CallStep, open: Open, captured: Captured): Promise<void> {
  const target = step.target.replaceAll(/\$(\w+)/g, (text, name: string) =>
    captured.has(name) ? encodeURIComponent(String(captured.get(name))) : text,
  );
  const came = await (open.url.startsWith('http://in-process')
    ? ask(step, open, target)
    : askOverSocket(step, open, target));
  const mistake = (await judge(step, came, captured)) ?? (await checkSchema(open, came, step));
  if (mistake === undefined) return;
  const body = came.bytes.toString('utf8', 0, 600);
  const fields = [...came.headers].map(([name, value]) => `${name}: ${value}`).join('\n  ');
  throw new Error(`line ${step.line}: ${step.method} ${target}: ${mistake}\n  ${came.status}\n  ${fields}\n  ${body}`);
}

async function ask(step: CallStep, { mock, url }: Open, target: string): Promise<Came> {
  const { method, headers, body } = step;
  const response = await mock.fetch(url + target, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
  });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** The plain client of the platform: it sends what it is given, and nothing else. */
async function askOverSocket({ method, headers, body }: CallStep, { url }: Open, target: string): Promise<Came> {
  const fields: Record<string, string[]> = {};
  for (const [name, value] of headers) (fields[name] ??= []).push(value);
  const sent = body && Buffer.from(body);
  const path = encodeURI(target).replaceAll('%25', '%');
  const received = await sendRequest(url, { path, method, headers: fields, body: sent });
  const came = new Headers();
  for (const [name, values = []] of Object.entries(received.headers))
    for (const value of [values].flat()) came.append(name, value);
  return { status: received.status ?? 0, headers: came, bytes: received.body };
}

/** Why an answer is not the one that is wanted; undefined where it is. */
async function judge({ want, method }: CallStep, came: Came, captured: Captured): Promise<string | undefined> {
  if (came.status !== want.status) return `wanted ${want.status}, got ${came.status}`;
  for (const [name, value] of want.headers) {
    const found = came.headers.get(name);
    if (value === '-' ? found !== null : found === null || !fitsText(value, found))
      return `wanted ${name}: ${value}, got ${found ?? 'none'}`;
  }
  const type = came.headers.get('content-type');
  if (want.mediaType === undefined) {
    if (came.bytes.length > 0) return 'wanted no body, and there is one';
    return type === null || method === 'HEAD' ? undefined : `wanted no content type, got ${type}`;
  }
  if (want.mediaType !== '…' && type !== want.mediaType)
    return `wanted ${want.mediaType}, got ${type ?? 'no content type'}`;
  if (want.body === undefined) return undefined;
  if (/[/+]json\b/.test(type ?? ''))
    return findDifference(load(want.body), JSON.parse(came.bytes.toString()), captured);
  const [, hex] = /^<([0-9a-f]+…?)>$/.exec(want.body) ?? [];
  const text = came.bytes.toString(hex === undefined ? 'utf8' : 'hex');
  return fitsText(hex ?? want.body, text.replace(/\n$/, '')) ? undefined : `wanted ${want.body}, got ${text}`;
}

/** Whatever a case is about: JSON fits its schema, says a validator that is not ours, and what is off is said. */
async function checkSchema({ mock, secondCheck }: Open, came: Came, { want }: CallStep): Promise<string | undefined> {
  const last = mock.journal.last();
  const found = last?.violations.map(({ code, message }) => `${code} ${message}`) ?? [];
  const missing = want.violations.filter((line) => !found.some((one) => fitsText(line, one)));
  if (missing.length > 0) return `wanted the violations ${missing.join('; ')}, got ${found.join('; ') || 'none'}`;
  // A refusal lists the violations of the client.
  if (came.headers.has('x-mock-violations') && came.headers.get('x-mock-source') !== 'refuse') {
    if (want.headers.some(([name]) => name === 'x-mock-violations')) return undefined;
    return 'the answer breaks the contract';
  }
  const operation = mock.contract.operation(last?.operation ?? '');
  const response = operation && findResponse(operation, came.status);
  const type = came.headers.get('content-type') ?? '';
  const media = response && findMedia(response.content, type);
  if (media?.schema === undefined || !/[/+]json\b/.test(type) || came.bytes.length === 0) return undefined;
  const complaints = await secondCheck(media.schemaPointer, JSON.parse(came.bytes.toString()));
  return complaints.length === 0 ? undefined : `the answer breaks its schema: ${complaints.join('; ')}`;
}
