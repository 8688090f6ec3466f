import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseText } from '../../contract/load/parse.js';
import { isObject } from '../../base/json.js';
import { loadTextFile } from '../../base/inside-folder.js';
import { MockError } from '../../base/errors.js';
import { readHandlers, readJsonServer } from './readers/lists.js';
import { readMockoon, readPrefix } from './readers/mockoon.js';
import { readPostman } from './readers/postman.js';
import { type MappingFile, readWireMock } from './readers/wiremock.js';
import { type Format, FORMATS, type OldMock, readObject, readText } from './stub.js';

/** The content of the file or folder of another mock server. */
interface Source {
  readonly format: Format;
  /** The mock that was read from it; undefined for a HAR, which the recordings read. */
  readonly mock: OldMock | undefined;
  /** A path that the old mock adds to each of its paths. */
  readonly prefix: string;
}

const FORMS =
  `a HAR, a folder of WireMock with mappings/, an environment of Mockoon, a Postman collection (v2.1), a list of handlers
([{ "method": "GET", "path": "/orders", "status": 200, "body": [] }]) or the db.json of json-server`.replaceAll(
    '\n',
    ' ',
  );

/** Reads a file or folder in the format that it is in, or in the given one. @throws MockError `IMPORT_UNREADABLE`. */
export function readImport(path: string, given: Format | undefined): Source {
  if (!existsSync(path))
    throw new MockError('IMPORT_UNREADABLE', 'there is no such file or folder', { at: { file: path } });
  if (statSync(path).isDirectory()) return readFolder(path, given);
  const value = readJson(path);
  const format = given ?? detect(value);
  if (format === undefined) throw unknownFormat(path);
  return { format, ...readValue(value, { format, path }) };
}

function unknownFormat(file: string): MockError {
  const hint = `it must be ${FORMS}; name the format with --format ${FORMATS.join('|')}`;
  return new MockError('IMPORT_UNREADABLE', 'the format of the file is not known', { at: { file }, hint });
}

function readJson(file: string): unknown {
  return parseText(loadTextFile(file, 'IMPORT_UNREADABLE'), file, 'IMPORT_UNREADABLE').value;
}

function readFolder(path: string, given: Format | undefined): Source {
  const inner = existsSync(join(path, 'mappings')) ? join(path, 'mappings') : path;
  const names = readdirSync(inner, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort();
  const files = names.map((name): MappingFile => ({
    name: `${basename(inner)}/${name.replaceAll('\\', '/')}`,
    value: readJson(join(inner, name)),
  }));
  const isWireMock = given === 'wiremock' || files.some(({ value }) => detect(value) === 'wiremock');
  if (!isWireMock || (given !== undefined && given !== 'wiremock')) throw unknownFormat(path);
  const root = basename(inner) === 'mappings' ? dirname(inner) : inner;
  return { format: 'wiremock', mock: readWireMock(files, join(root, '__files')), prefix: '' };
}

/** The format that a value has by its members. */
function detect(value: unknown): Format | undefined {
  if (Array.isArray(value)) return value.some(isHandler) ? 'msw' : undefined;
  const root = readObject(value);
  if (Array.isArray(readObject(root['log'])['entries'])) return 'har';
  if (root['info'] !== undefined && Array.isArray(root['item'])) return 'postman';
  const isWrapped = Array.isArray(root['data']) && readText(root['source'])?.startsWith('mockoon') === true;
  if (isWrapped || (Array.isArray(root['routes']) && root['lastMigration'] !== undefined)) return 'mockoon';
  if (Array.isArray(root['mappings']) || (root['request'] !== undefined && root['response'] !== undefined))
    return 'wiremock';
  const names = Object.keys(root);
  if (Array.isArray(root['handlers']) || (names.length > 0 && names.every((name) => /^[A-Za-z]+ +\S*\//.test(name))))
    return 'msw';
  const isDocument = ['openapi', 'swagger', 'asyncapi'].some((name) => Object.hasOwn(root, name));
  const hasItems = Object.values(root).some((each) => Array.isArray(each) && each.every(isObject));
  return hasItems && !isDocument ? 'json-server' : undefined;
}

function isHandler(value: unknown): boolean {
  const members = readObject(value);
  return ['path', 'url', 'endpoint'].some((name) => typeof members[name] === 'string');
}

function readValue(
  value: unknown,
  { format, path }: { readonly format: Format; readonly path: string },
): Pick<Source, 'mock' | 'prefix'> {
  const name = basename(path);
  if (format === 'mockoon') return { mock: readMockoon(value, path), prefix: readPrefix(value) };
  if (format === 'wiremock')
    return { mock: readWireMock([{ name, value }], join(dirname(path), '..', '__files')), prefix: '' };
  const readers = { postman: readPostman, msw: readHandlers, 'json-server': readJsonServer };
  return { mock: format === 'har' ? undefined : readers[format](value, name), prefix: '' };
}
