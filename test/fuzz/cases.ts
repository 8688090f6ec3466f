import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dump, load } from 'js-yaml';
import { mapValues } from '../../src/base/json.js';
import type { Entry, Tree } from './trees.js';

/** Bytes as one string with a character per byte, or as parts, so that long ones can be written in a line. */
export type Bytes = string | readonly (string | { readonly repeat: string; readonly times: number })[];

/** What one connection sends; `answers` is how many answers must come. */
export type Sent = Bytes | { readonly bytes: Bytes; readonly answers: number };

/** A failing case: what a mock is started with, and the bytes that clients send. */
export interface FuzzCase {
  /** What went wrong when it was found, in one line. */
  readonly found: string;
  /** The OpenAPI document, or the path of one from the root of the repository. Default: that of the options. */
  readonly document?: unknown;
  /** Options of `createMock`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The working directory of the mock. */
  readonly files?: Tree;
  /** Whole answers of a server that the mock records, by the index in the path `/answers/{index}`. */
  readonly answers?: readonly Bytes[];
  /** One connection each, one after the other. */
  readonly requests: readonly Sent[];
  /** Send them on connections that are open at the same time. */
  readonly parallel?: boolean;
  /** The statuses of the answers on each connection; without it any answer is right that is not a failure of the mock. */
  readonly statuses?: readonly (readonly number[])[];
  /** The start must be refused with an error of this code; without it the document may start or be refused. */
  readonly refused?: string;
}

/** A kind of failure, and what was seen. */
export interface Failure {
  readonly kind: 'crash' | 'hang' | 'stall' | 'memory' | 'leak' | 'server-error' | 'start' | 'wrong-status';
  readonly text: string;
}

/** The folder of the cases that the suite replays. */
export const REGRESSIONS: string = fileURLToPath(new URL('../regressions/', import.meta.url));

/** The names of the saved cases. */
export function listCases(): readonly string[] {
  return readdirSync(REGRESSIONS).filter((name) => name.endsWith('.yaml'));
}

/** Reads a case; a document that is a path is read, too. */
export function readCase(name: string): FuzzCase {
  const saved = load(readFileSync(join(REGRESSIONS, name), 'utf8')) as FuzzCase;
  return { ...saved, document: readDocument(saved.document) };
}

/** The document itself, also where a path from the root of the repository is given. */
export function readDocument(document: unknown): unknown {
  return typeof document === 'string' ? load(readFileSync(document, 'utf8')) : document;
}

/** Saves a case and returns the path of its file. */
export function saveCase(failure: Failure, found: FuzzCase, folder: string = REGRESSIONS): string {
  const hash = createHash('sha256').update(toSignature(failure)).digest('hex').slice(0, 8);
  const path = join(folder, `${failure.kind}-${hash}.yaml`);
  mkdirSync(folder, { recursive: true });
  const { files, answers, ...rest } = found;
  const shortened = {
    ...rest,
    ...(files && { files: mapValues(files, (entry) => (isBytes(entry) ? shortenText(toText(entry)) : entry)) }),
    ...(answers && { answers: answers.map((answer) => shortenText(toText(answer))) }),
    requests: found.requests.map(shorten),
  };
  writeFileSync(path, dump(shortened, { lineWidth: -1, noRefs: true }));
  return path;
}

/** What failures of the same cause have in common: without numbers, names and places. */
export function toSignature({ kind, text }: Failure): string {
  const said = /"(?:detail|message)": ?"(?<said>(?:[^"\\]|\\.)*)/.exec(text)?.groups?.['said'];
  const line = said ?? text.split('\n').find((part) => /Error\b|^x-mock-violations/.test(part)) ?? text;
  return `${kind} ${line.replaceAll(/(["'`«]).*?\1|\d+|\/[^\s"]*|[^ -~]|answering \S+/g, '').slice(0, 80)}`;
}

/** The bytes as one string with a character per byte. */
export function toText(sent: Sent): string {
  if (typeof sent === 'string') return sent;
  const parts = 'bytes' in sent ? [sent.bytes].flat() : sent;
  return parts.map((part) => (typeof part === 'string' ? part : part.repeat.repeat(part.times))).join('');
}

function isBytes(entry: Entry): entry is Bytes {
  return typeof entry === 'string' || Array.isArray(entry);
}

/** How many answers must come, or undefined. */
export function toAnswers(sent: Sent): number | undefined {
  return typeof sent === 'object' && 'answers' in sent ? sent.answers : undefined;
}

/** Long runs of one character as `{ repeat, times }`. */
function shorten(sent: Sent): Sent {
  const answers = toAnswers(sent);
  const bytes = shortenText(toText(sent));
  return answers === undefined ? bytes : { bytes, answers };
}

function shortenText(text: string): Bytes {
  const parts = [...text.matchAll(/([^])\1{63,}|[^]+?(?=([^])\2{63,}|$)/g)].map(([run, repeat]) =>
    repeat === undefined ? run : { repeat, times: run.length },
  );
  return parts.length < 2 && typeof parts[0] === 'string' ? text : parts;
}
