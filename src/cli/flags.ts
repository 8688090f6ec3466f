import { type Command, InvalidArgumentError } from 'commander';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { MockError } from '../errors.js';
import { type Owner, readOwner } from '../recording/mode.js';
import { packageFolder } from './output.js';

/** Flags of every command that loads an OpenAPI document. */
export interface DocumentFlags {
  readonly overlay?: readonly string[];
  readonly allowHttpRefs?: boolean;
}

/** Adds the required argument `<spec>` and the flags that say how the document is loaded. */
export function addDocument(command: Command): Command {
  return addDocumentFlags(command.argument('<spec>', 'OpenAPI document: a file or URL'));
}

/** Adds the flags that say how an OpenAPI document is loaded. */
export function addDocumentFlags(command: Command): Command {
  return command
    .option('--overlay <file>', 'OpenAPI Overlay 1.0 document to apply; repeatable', collect)
    .option('--allow-http-refs', 'allow loading the document and its $refs over HTTP(S)');
}

/** Adds the optional argument `[spec]`, for which `findSpec` has the default. */
export function addOptionalSpec(command: Command): Command {
  return command.argument('[spec]', 'OpenAPI document: a file or URL (default: spec/openapi.yaml)');
}

/** `spec/openapi.yaml`, `.yml` or `.json` in the current folder, otherwise the built-in contract. */
export function findSpec(): string {
  const own = ['yaml', 'yml', 'json']
    .map((extension) => join('spec', `openapi.${extension}`))
    .find((path) => existsSync(path));
  return own ?? join(packageFolder(), 'spec', 'openapi.yaml');
}

/** A folder of that name beside the document, or beside the folder `spec` that contains the document. */
export function findFolder(spec: string, name: 'fixtures' | 'scenarios'): string | undefined {
  if (/^https?:/.test(spec)) return undefined;
  const folder = dirname(spec);
  const candidate = basename(folder) === 'spec' ? join(folder, '..', name) : join(folder, name);
  return existsSync(candidate) ? candidate : undefined;
}

/** Flags of `vouch record` and `vouch replay`. */
export interface CassetteFlags {
  readonly cassette: string;
  /** The folder of the cassettes. */
  readonly recordings: string;
  /** `operation=owner`. */
  readonly owner?: readonly string[];
}

/** Adds the flags of `vouch record` and `vouch replay`. */
export function addCassetteFlags(command: Command): Command {
  return addRecordingsFlag(command)
    .option('--cassette <name>', 'name of the recording', 'default')
    .option(
      '--owner <operation=owner>',
      'who answers an operation: mock, replay, forward or forward-then-mock; repeatable',
      collect,
    );
}

/** Adds the flag `--recordings`. */
export function addRecordingsFlag(command: Command): Command {
  return command.option('--recordings <folder>', 'folder of the recordings', 'fixtures/recordings');
}

/** Reads the values of `--owner`; the operation ends at the last `=`. @throws MockError `OPTION_INVALID`. */
export function readOwners(pairs: readonly string[] = []): Readonly<Record<string, Owner>> | undefined {
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, operation, owner] = /^(.+)=([\w-]+)$/.exec(pair) ?? [];
      if (operation !== undefined && owner !== undefined) return [operation, readOwner(owner)];
      throw new MockError('OPTION_INVALID', `--owner ${JSON.stringify(pair)} does not have the form operation=owner`, {
        hint: 'for example: --owner listKeys=replay; owners are mock, replay, forward and forward-then-mock',
      });
    }),
  );
}

/** Collects the values of a repeatable flag. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** Reads the integer given to a flag. */
export function readInteger(value: string): number {
  const number = Number(value);
  if (/^-?\d+$/.test(value) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('It must be an integer.');
}

/** Reads the non-negative number given to a flag. */
export function readNumber(value: string): number {
  const number = Number(value);
  if (value.trim() !== '' && Number.isFinite(number) && number >= 0) return number;
  throw new InvalidArgumentError('It must be a non-negative number.');
}

/** Reads the size given to a flag, in bytes: `512`, `64kb`, `10mb`. */
export function readSize(value: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(value);
  if (match === null)
    throw new InvalidArgumentError('It must be a number of bytes, or a number with kb, mb or gb: 10mb.');
  const factor = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }[(match[2] ?? 'b').toLowerCase()] ?? 1;
  return Math.floor(Number(match[1]) * factor);
}

/** Reads the headers given as `name: value`. @throws MockError `OPTION_INVALID`. */
export function readHeaders(lines: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) return [name.toLowerCase(), value];
      // The line is not quoted because it may contain a credential.
      throw new MockError('OPTION_INVALID', 'a --header value does not have the form "name: value"', {
        hint: 'for example: --header "authorization: Bearer $TOKEN"',
      });
    }),
  );
}
