import { connect } from 'node:net';

/** The bytes that one connection sends, and what is known about them. */
export interface Exchange {
  /** One character per byte. */
  readonly bytes: string;
  /** How many answers must come; undefined: anything may happen, as long as the server closes after the client. */
  readonly answers?: number;
  /** The answers to HEAD have no body. */
  readonly isHead?: boolean;
  /** Statuses of 500 and above that the request asks for or that its operation declares. */
  readonly allows?: (status: number) => boolean;
}

/** An answer as it was received; `source` is the header `x-mock-source`. */
export interface ReceivedAnswer {
  readonly status: number;
  readonly source: string | undefined;
  /** The head and the beginning of the body. */
  readonly text: string;
}

/** What happened on a connection. */
export interface Outcome {
  readonly answers: readonly ReceivedAnswer[];
  /** `hung`: the answers or the end of the connection did not come in time. */
  readonly end: 'answered' | 'closed' | 'failed' | 'hung';
}

const KEPT_BYTES = 3000;
/** Without an expected number of answers, the client ends the connection after this time without a byte. */
const QUIET_MS = 120;
/** The same after a complete answer. */
const ANSWERED_QUIET_MS = 20;

/** Sends the bytes on a new connection and reads what comes back. */
export function sendBytes(
  port: number,
  { bytes, answers, isHead = false }: Exchange,
  limitMs: number,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const reader = createAnswerReader(isHead);
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const end = (kind: Outcome['end']): void => {
      clearTimeout(limit);
      clearTimeout(quiet);
      socket.destroy();
      resolve({ answers: reader.answers(), end: kind });
    };
    const limit = setTimeout(() => end('hung'), limitMs);
    let quiet: NodeJS.Timeout | undefined;
    const waitForQuiet = (): void => {
      clearTimeout(quiet);
      quiet = setTimeout(() => socket.end(), reader.isBetween() ? ANSWERED_QUIET_MS : QUIET_MS);
    };
    socket.on('connect', () => {
      socket.write(Buffer.from(bytes, 'latin1'));
      if (answers === undefined) waitForQuiet();
    });
    socket.on('data', (chunk) => {
      reader.read(chunk.toString('latin1'));
      if (answers === undefined) waitForQuiet();
      else if (reader.complete() >= answers) end('answered');
    });
    socket.on('error', () => end('failed'));
    socket.on('close', () => end('closed'));
  });
}

/** Reads answers as they come. */
export interface AnswerReader {
  read(text: string): void;
  /** The number of complete answers. */
  complete(): number;
  /** Whether answers were read, each to its end. */
  isBetween(): boolean;
  answers(): readonly ReceivedAnswer[];
}

/** The head of the event stream of the journal, which ends with the mock. */
const FEED = /(?=[\s\S]*\r\ncontent-type: *text\/event-stream)[\s\S]*\r\nx-mock-source: *control/i;

/** Reads answers from a stream of bytes, one character per byte. */
export function createAnswerReader(isHead: boolean): AnswerReader {
  let waiting = '';
  let complete = 0;
  const answers: ReceivedAnswer[] = [];
  /** Undefined between two answers; else how the rest of the body is found. */
  let body: { rest: number } | 'chunked' | 'to the end' | undefined;
  const readHead = (): boolean => {
    const end = waiting.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const head = waiting.slice(0, end);
    const status = Number(head.slice(9, 12));
    const text = waiting.slice(0, end + 4 + KEPT_BYTES);
    waiting = waiting.slice(end + 4);
    // An interim answer precedes the answer.
    if (status >= 100 && status < 200) return true;
    answers.push({ status, source: /\r\nx-mock-source: *([^\r]*)/i.exec(head)?.[1], text });
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (isHead || status === 204 || status === 304) complete += 1;
    else if (FEED.test(head)) {
      complete += 1;
      body = 'to the end';
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) body = 'chunked';
    else if (length === undefined) body = 'to the end';
    else body = { rest: Number(length) };
    return true;
  };
  const finish = (): true => {
    body = undefined;
    complete += 1;
    return true;
  };
  /** Whether something was read, so that there may be more. */
  const step = (): boolean => {
    if (body === undefined) return waiting !== '' && readHead();
    if (body === 'to the end') {
      waiting = '';
      return false;
    }
    if (body === 'chunked') return readChunk();
    const taken = Math.min(body.rest, waiting.length);
    waiting = waiting.slice(taken);
    body = { rest: body.rest - taken };
    return body.rest === 0 && finish();
  };
  const readChunk = (): boolean => {
    const end = waiting.indexOf('\r\n');
    if (end < 0) return false;
    const size = Number.parseInt(waiting.slice(0, end), 16);
    if (waiting.length < end + 2 + size + 2) return false;
    waiting = waiting.slice(end + 2 + size + 2);
    return size === 0 || Number.isNaN(size) ? finish() : true;
  };
  return {
    read: (text) => {
      waiting += text;
      while (step());
    },
    complete: () => complete,
    isBetween: () => complete > 0 && complete === answers.length && waiting === '',
    answers: () => answers,
  };
}
