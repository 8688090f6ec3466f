// Follows a page of the documentation in an empty folder, as a reader does who copies its blocks one after the other.
//
// A block that begins with the comment `# file.yaml` or `// file.mjs`, or that follows a line which ends with `file.json`:, is written to that file. The
// lines of an `sh` block are run. A block without a language after it is the output of its last line: each of its lines must be there, in
// order, and `…` matches anything. A `json` block after it is its whole output. `<!-- not run: reason -->` before a block leaves it out.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, dirname, join } from 'node:path';
import { isDeepStrictEqual, stripVTControlCharacters } from 'node:util';

const SERVER = /^(?:npx )?vouch (?:serve|record|replay|mock|proxy)\b/u;
/** Only for commands that hang: npm can take long on a busy machine. */
const TIME_LIMIT_MS = 180_000;

/**
 * The fenced blocks of a page.
 *
 * @param {string} page
 */
export function readBlocks(page) {
  return [...page.matchAll(/^(?<indent> *)```(?<language>\w*)\n(?<text>[\s\S]*?)^\k<indent>```$/gmu)].map((match) => {
    const { language = '', text = '' } = match.groups ?? {};
    const before = page.slice(0, match.index).trimEnd().split('\n');
    const last = before.at(-1) ?? '';
    const comment = /^(?:#|\/\/) (?<name>[\w./-]+\.\w+)\n/u.exec(text)?.groups?.name;
    return {
      language,
      text,
      line: page.slice(0, match.index).split('\n').length,
      /** The file that the block is the content of. */
      file: comment ?? /`(?<name>[\w./-]+\.\w+)`:$/u.exec(last)?.groups?.name,
      /** Why it is not run. */
      reason: /^<!-- not run: (?<why>.+) -->$/u.exec(last)?.groups?.why,
    };
  });
}

/**
 * The parts of a page that a reader follows, each in an empty folder: its sections if it says that none needs another, or else all of it.
 * Each has the line numbers of the page.
 *
 * @param {string} page
 */
export function readParts(page) {
  if (!/\bNo section needs another one\b/u.test(page)) return [{ name: '', text: page }];
  return [...page.matchAll(/^## (?<name>.+)\n[\s\S]*?(?=^## |(?![\s\S]))/gmu)].map((match) => ({
    name: match.groups?.name ?? '',
    text: page.slice(0, match.index).replaceAll(/[^\n]/gu, '') + match[0],
  }));
}

/**
 * The document that a reader of the page has already: that of getting started, if the page says so.
 *
 * @param {string} page
 * @param {string} start - The page that has it.
 */
export function readStartDocument(page, start) {
  if (!/`openapi\.yaml` of\s+\[getting started\]/u.test(page)) return undefined;
  return readBlocks(start).find(({ file }) => file === 'openapi.yaml')?.text;
}

/**
 * The commands of a shell block, without comments and with continued lines joined.
 *
 * @param {string} text
 */
export function readLines(text) {
  const lines = text.replaceAll(/\\\n\s*/gu, ' ').split('\n');
  return lines.map((line) => line.replace(/(?:^|\s+)# .*$/u, '').trim()).filter((line) => line !== '');
}

/**
 * Writes, runs and compares each block of a page in order.
 *
 * @param {object} options
 * @param {string} options.page - The text of the page.
 * @param {string} options.folder - The empty folder.
 * @param {(line: string) => string | undefined} [options.replace] - Another command for a line, such as one that installs a local package.
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {Readonly<Record<string, string>>} [options.documents] - URL -> the document that is served instead of it.
 * @returns {Promise<{ readonly run: number, readonly mistakes: readonly string[] }>} the number of steps, and what differs from the page.
 */
export async function followPage({ page, folder, replace = () => undefined, env = process.env, documents = {} }) {
  const web = await serveDocuments(documents);
  const servers = new Map();
  const path = [join(folder, 'node_modules', '.bin'), env.PATH].join(delimiter);
  const context = {
    folder,
    env: { ...env, PATH: path, NO_COLOR: '1' },
    replace,
    servers,
    ...translate(servers, documents, web.origin),
  };
  const blocks = readBlocks(page).filter(({ reason }) => reason === undefined);
  const mistakes = [];
  try {
    let output = '';
    for (const block of blocks) {
      const result = await followBlock(block, output, context);
      output = result.output ?? output;
      mistakes.push(...result.mistakes.map((mistake) => `line ${block.line}: ${mistake}`));
    }
  } finally {
    for (const { stop } of servers.values()) await stop();
    web.close();
  }
  return { run: blocks.length, mistakes };
}

/** Functions that replace the addresses of the page by the real ones, and back. */
function translate(servers, documents, origin) {
  const urls = Object.keys(documents).map((url) => [url, `${origin}${new URL(url).pathname}`]);
  const toReal = (text) => {
    let real = text;
    for (const [shown, { port }] of servers) {
      real = real.replaceAll(new RegExp(`(?<=(?:127\\.0\\.0\\.1|localhost):)${shown}\\b`, 'gu'), port);
    }
    for (const [url, local] of urls) real = real.replaceAll(url, local);
    return real;
  };
  const toShown = (text) => {
    let shown = text;
    for (const [port, server] of servers) shown = shown.replaceAll(`:${server.port}`, `:${port}`);
    for (const [url, local] of urls) shown = shown.replaceAll(local, url);
    return shown;
  };
  return { toReal, toShown };
}

/** @returns what the block printed, if it has commands, and what differs from the page. */
async function followBlock({ language, text, file }, before, context) {
  if (file !== undefined) {
    const path = join(context.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, context.toReal(text));
    return { mistakes: [] };
  }
  if (language !== 'sh') {
    const difference = language === 'json' ? compareJson(text, before) : compareLines(text, before);
    return { mistakes: difference === undefined ? [] : [`${difference}\nprinted:\n${before}`] };
  }
  const mistakes = [];
  let output = '';
  for (const line of readLines(text)) {
    const { code, printed } = await runLine(context.replace(line) ?? line, context);
    output = context.toShown(printed);
    if (code !== 0) mistakes.push(`${line}\nexit code ${code}\n${output}`);
  }
  return { output, mistakes };
}

/** Runs a line to its end; a mock server only until it listens. */
async function runLine(line, { folder, env, servers, toReal }) {
  if (!SERVER.test(line)) return execute(toReal(line), { folder, env });
  const shown = /--port (\d+)/u.exec(line)?.[1] ?? '4010';
  await servers.get(shown)?.stop();
  servers.delete(shown);
  const started = await start(`exec ${toReal(line).replace(/ --port \d+/u, '')} --port 0`, { folder, env });
  if (started.port !== undefined) servers.set(shown, started);
  return { code: started.code, printed: started.printed };
}

function open(command, { folder, env }) {
  // A group of its own, so that what a program such as npx starts can be stopped too.
  const child = spawn('bash', ['-o', 'pipefail', '-c', command], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const parts = [];
  child.stdout.on('data', (chunk) => parts.push(chunk));
  child.stderr.on('data', (chunk) => parts.push(chunk));
  const read = () => stripVTControlCharacters(Buffer.concat(parts).toString());
  const ended = new Promise((resolve) => child.on('close', resolve));
  const stop = async (signal = 'SIGTERM') => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, signal);
    return ended;
  };
  return { child, read, ended, stop };
}

async function execute(command, options) {
  const { read, ended, stop } = open(command, options);
  const limit = setTimeout(() => void stop('SIGKILL'), TIME_LIMIT_MS);
  const code = await ended;
  clearTimeout(limit);
  return { code: code ?? 'none: it was ended after three minutes', printed: read() };
}

/** Starts a server. @returns its port, or its exit code if it ended first. */
async function start(command, options) {
  const { child, read, ended, stop } = open(command, options);
  const limit = setTimeout(() => void stop('SIGKILL'), TIME_LIMIT_MS);
  const listening = new Promise((resolve) => {
    child.stdout.on('data', () => {
      const port = /listening(?: on |":")https?:\/\/[^/]*:(\d+)[^\n]*\n/u.exec(read())?.[1];
      if (port !== undefined) resolve({ port, code: 0 });
    });
  });
  const result = await Promise.race([listening, ended.then((code) => ({ code: code ?? 1 }))]);
  clearTimeout(limit);
  return { ...result, printed: read(), stop };
}

async function serveDocuments(documents) {
  const texts = new Map(Object.entries(documents).map(([url, text]) => [new URL(url).pathname, text]));
  const server = createServer((request, response) => {
    const text = texts.get(request.url ?? '');
    response.statusCode = text === undefined ? 404 : 200;
    response.end(text);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** @returns what is missing in the output, if anything is. */
function compareLines(expected, output) {
  const lines = output.split('\n').map((line) => line.trim());
  let from = 0;
  for (const line of expected.split('\n').map((one) => one.trim())) {
    if (line === '') continue;
    const pattern = new RegExp(`^${line.split('…').map(escape).join('.*')}$`, 'u');
    const found = lines.findIndex((one, i) => i >= from && pattern.test(one));
    if (found === -1) return `the output has no line ${line}`;
    from = found + 1;
  }
  return undefined;
}

const escape = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, (character) => `\\${character}`);

function compareJson(expected, output) {
  const body = output.slice(Math.max(0, output.search(/[[{]/u)));
  try {
    return isDeepStrictEqual(JSON.parse(body), JSON.parse(expected)) ? undefined : `the output is not ${expected}`;
  } catch (error) {
    return `the output is not JSON: ${error.message}`;
  }
}
