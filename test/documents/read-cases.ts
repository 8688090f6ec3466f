import { readFileSync } from 'node:fs';

/** One sentence about documents, and the calls that show it. */
export interface Case {
  /** The line of the traps list it belongs to, such as `C1`. */
  readonly trap: string;
  /** The sentence. */
  readonly name: string;
  readonly line: number;
  /** The OpenAPI document as text, by file name; the first one is the main file. */
  readonly files: Readonly<Record<string, string>>;
  /** Options of the mock, as YAML. */
  readonly options: string;
  /** The problems it starts with, one a line; undefined: none. */
  readonly start: string | undefined;
  readonly steps: readonly Step[];
}

/** A call with its answer, or a new mock of the same document. */
export type Step = CallStep | { readonly kind: 'restart'; readonly options: string };

/** One request as text, and the answer it must get. */
export interface CallStep {
  readonly kind: 'call';
  readonly line: number;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined: no body. */
  readonly body: Uint8Array | undefined;
  readonly reach: 'both' | 'in-process' | 'socket';
  readonly want: Expectation;
}

/** What an answer must look like. */
export interface Expectation {
  readonly status: number;
  /** Undefined: no body and no content type. `…` is any. */
  readonly mediaType: string | undefined;
  /** Undefined: any. */
  readonly body: string | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** `CODE message` of violations that the journal must hold. */
  readonly violations: readonly string[];
}

interface Block {
  readonly word: string;
  readonly rest: string;
  readonly lines: readonly string[];
  readonly line: number;
}

const HEADING = /^## ([CRA]\d+) (.+)$/;
const FENCE = /^```(\w*)\s*(.*)$/;

/**
 * Reads the cases of one page. A case is a `## C1 Sentence` with fenced blocks: `yaml` the document (the page's own, above the
 * first case, where a case has none; `yaml name` another file), `options` of the mock, `start` its problems, `http` the calls.
 */
export function readCases(url: URL): readonly Case[] {
  const lines = readFileSync(url, 'utf8').split('\n');
  const cases: Case[] = [];
  let shared: readonly Block[] = [];
  let blocks: Block[] = [];
  let heading: { readonly trap: string; readonly name: string; readonly line: number } | undefined;
  const close = (): void => {
    if (heading === undefined) shared = blocks;
    else cases.push({ ...heading, ...readBlocks(blocks, shared) });
    blocks = [];
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    const [, trap, name] = HEADING.exec(line) ?? [];
    if (trap !== undefined && name !== undefined) {
      close();
      heading = { trap, name, line: i + 1 };
    } else if (line.startsWith('## ')) throw new Error(`${url.pathname}:${i + 1} is no heading of a case: ${line}`);
    const fence = FENCE.exec(line);
    if (fence === null) continue;
    const end = lines.indexOf('```', i + 1);
    blocks.push({ word: fence[1] ?? '', rest: fence[2] ?? '', lines: lines.slice(i + 1, end), line: i + 2 });
    i = end;
  }
  close();
  return cases;
}

function readBlocks(own: readonly Block[], shared: readonly Block[]): Omit<Case, 'trap' | 'name' | 'line'> {
  const about = own.some(({ word }) => word === 'yaml') ? own : [...own, ...shared];
  const files = about.filter(({ word }) => word === 'yaml');
  const text = (word: string): string | undefined => about.find((block) => block.word === word)?.lines.join('\n');
  return {
    files: Object.fromEntries(files.map(({ rest, lines }) => [rest === '' ? 'openapi.yaml' : rest, lines.join('\n')])),
    options: text('options') ?? '',
    start: text('start'),
    steps: own.flatMap((block): readonly Step[] => {
      if (block.word === 'restart') return [{ kind: 'restart', options: block.lines.join('\n') }];
      return block.word === 'http' ? readCalls(block) : [];
    }),
  };
}

function readCalls({ lines, line, rest }: Block): readonly CallStep[] {
  const steps: CallStep[] = [];
  let from = 0;
  for (let i = 0; i <= lines.length; i++) {
    if (i < lines.length && lines[i] !== '') continue;
    const call = lines.slice(from, i);
    if (call.length > 0) steps.push(readCall(call, line + from, rest));
    from = i + 1;
  }
  return steps;
}

function readCall(lines: readonly string[], line: number, reach: string): CallStep {
  const arrow = lines.findIndex((text) => text.startsWith('-> '));
  const [method = '', target = ''] = (lines[0] ?? '').split(' ');
  if (arrow === -1 || target === '') throw new Error(`no call and answer at line ${line}: ${lines.join(' / ')}`);
  const asked = lines.slice(1, arrow);
  const headers = asked.filter((text) => !text.startsWith('>')).map(readField);
  const isMultipart = headers.some(([name, value]) => name === 'content-type' && value.startsWith('multipart/'));
  const sent = asked.filter((text) => text.startsWith('>')).map((text) => text.slice(2));
  return {
    kind: 'call',
    line,
    method,
    target,
    headers,
    body: sent.length === 0 ? undefined : toBytes(sent.join(isMultipart ? '\r\n' : '\n')),
    reach: reach === 'in-process' || reach === 'socket' ? reach : 'both',
    want: readExpectation(lines.slice(arrow)),
  };
}

function readExpectation([first = '', ...more]: readonly string[]): Expectation {
  const [, status, mediaType, body] = /^-> (\d{3})(?: (\S+))?(?: (.+))?$/s.exec(first) ?? [];
  const lines = more.filter((text) => text.startsWith('<')).map((text) => text.slice(2));
  return {
    status: Number(status),
    mediaType,
    body: lines.length > 0 ? lines.join('\n') : body,
    headers: more.filter((text) => !/^[<!]/.test(text)).map(readField),
    violations: more.filter((text) => text.startsWith('! ')).map((text) => text.slice(2)),
  };
}

function readField(text: string): readonly [string, string] {
  const colon = text.indexOf(':');
  if (colon < 1) throw new Error(`no header field: ${text}`);
  return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()];
}

/** Text as UTF-8, with `\xNN` for a single byte and `\xNN*1000` for a thousand of it. */
function toBytes(text: string): Uint8Array {
  return Buffer.concat(
    text.split(/(\\x[0-9a-f]{2}(?:\*\d+)?)/i).map((piece) => {
      const [, byte, times = '1'] = /^\\x([0-9a-f]{2})(?:\*(\d+))?$/i.exec(piece) ?? [];
      return byte === undefined ? Buffer.from(piece) : Buffer.alloc(Number(times), byte, 'hex');
    }),
  );
}
