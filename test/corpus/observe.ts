import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sweepLifecycles } from '../sweep/lifecycle.js';
import { sweep } from '../sweep/sweep.js';

/** Longer bodies are cut in the files; their digest tells whether the rest is the same. */
const SHOWN = 1500;

/**
 * Writes what a mock of a document answers: the report of a sweep with each exchange of it, and the life of an item of each resource.
 *
 * @param folder - Where `sweep.json`, `answers.txt`, `lives.json` and `lives.txt` are written.
 */
export async function observe(spec: string, folder: string): Promise<void> {
  await write(folder, ['sweep.json', 'answers.txt'], (onExchange) => sweep(spec, { seed: 1, onExchange }));
  await write(folder, ['lives.json', 'lives.txt'], (onExchange) => sweepLifecycles(spec, { seed: 1, onExchange }));
}

type OnExchange = (request: Request, response: Response) => Promise<void>;

async function write(
  folder: string,
  [report, log]: readonly [string, string],
  run: (onExchange: OnExchange) => Promise<unknown>,
): Promise<void> {
  const lines: string[] = [];
  const result = await run(async (request, response) => {
    lines.push(await toLine(request, response));
  }).catch((error: unknown) => ({ error: String(error) }));
  writeFileSync(join(folder, report), `${JSON.stringify(result, undefined, 2)}\n`);
  writeFileSync(join(folder, log), lines.join('\n'));
}

/** A request and its answer on lines of their own, so that a diff shows which of them changed. */
async function toLine(request: Request, response: Response): Promise<string> {
  const { pathname, search } = new URL(request.url);
  const sent = request.body === null ? '' : ` ${digest(await readSent(request))}`;
  const headers = [...response.headers].filter(([name]) => name !== 'date' && name !== 'content-length');
  const text = await readText(response);
  const cut = text.length > SHOWN ? `${text.slice(0, SHOWN)}… ${digest(text)}` : text;
  return [
    `${request.method} ${pathname}${search}${sent}`,
    `  ${response.status} ${headers.map((header) => header.join(': ')).join(', ')}`,
    `  ${cut.replaceAll('\n', '\n  ')}`,
  ].join('\n');
}

/** The body of a request; the boundary of its parts is a new one each time. */
async function readSent(request: Request): Promise<string> {
  const text = await readText(request);
  const boundary = /boundary=(\S+)/u.exec(request.headers.get('content-type') ?? '')?.[1];
  return boundary === undefined ? text : text.replaceAll(boundary, 'boundary');
}

/** One character for each byte, so that no encoding hides a change. */
async function readText(message: Request | Response): Promise<string> {
  return Buffer.from(await message.arrayBuffer()).toString('latin1');
}

function digest(text: string): string {
  return createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 16);
}
