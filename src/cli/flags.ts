import { type Command, InvalidArgumentError, Option } from 'commander';

/** Where commands print. */
export interface Output {
  write(line: string): void;
  writeError(line: string): void;
}

/** Flags of every command that loads a document. */
export interface DocumentFlags {
  readonly overlay?: readonly string[];
  readonly allowHttpRefs: boolean;
}

/** Adds the flags of every command that loads a document. */
export function withDocument(command: Command): Command {
  return command
    .option('--overlay <file>', 'an Overlay 1.0 document to apply; may be repeated', collect)
    .option('--allow-http-refs', 'let the document and its $refs come over http(s)', false);
}

/** Flags of every command that listens. */
export interface ListenFlags {
  readonly port: number;
  readonly host: string;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Adds the flags of every command that listens. */
export function withListening(command: Command): Command {
  return command
    .addOption(
      new Option('-p, --port <port>', '0 takes any free one').default(4010).argParser(readPort).env('VOUCH_PORT'),
    )
    .addOption(new Option('--host <host>', 'address to listen on').default('127.0.0.1').env('VOUCH_HOST'))
    .option('--json', 'log one JSON object a line', false)
    .option('--quiet', 'do not log requests', false);
}

/** A port number of the command line. */
function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new InvalidArgumentError('a port is a whole number from 0 (any free one) to 65535.');
}

/** A whole number of the command line. */
export function readWhole(text: string): number {
  const number = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('this is not a whole number.');
}

/** A number of the command line from 0 on. */
export function readNumber(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number) && number >= 0) return number;
  throw new InvalidArgumentError('this is not a number from 0 on.');
}

/** `512`, `64kb`, `10mb`: bytes. */
export function readSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(text);
  if (match === null) throw new InvalidArgumentError('a size is a number of bytes, or one with kb, mb or gb: 10mb.');
  const factor = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }[(match[2] ?? 'b').toLowerCase()] ?? 1;
  return Math.floor(Number(match[1]) * factor);
}

/** Gathers an option that may be repeated. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
