import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readImport } from '../../src/tools/import/detect.js';
import { type Imported, importMock } from '../../src/tools/import/import.js';
import type { Format } from '../../src/tools/import/stub.js';
import { createMock, loadContract, type Mock } from '../../src/index.js';
import { createValidators } from '../../src/schema/validate.js';

export const EXPORTS: string = join(import.meta.dirname, 'exports');
export const SHOP: string = join(import.meta.dirname, 'shop.yaml');

/** A request, and how the old mock answered it. */
export interface Answered {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly fault?: string;
  };
}

/** Imports a file or folder of `exports/`, or another one. */
export async function importFrom(path: string, format?: Format, spec: string = SHOP): Promise<Imported> {
  const source = readImport(path, format);
  if (source.mock === undefined) throw new Error('a HAR is imported by the command');
  const contract = await loadContract(spec);
  const { format: found, mock, prefix } = source;
  return importMock(mock, { contract, validators: createValidators(contract), format: found, prefix });
}

/** A mock with the imported scenario and, without one, the imported fixtures. */
export function serve({ scenario, fixtures }: Imported, spec: string = SHOP): Promise<Mock> {
  const collections = fixtures.map(
    ({ path, content }) => [path.replace('.json', ''), JSON.parse(String(content))] as const,
  );
  return createMock({
    spec,
    ...(collections.length > 0 && { fixtures: Object.fromEntries(collections) }),
    ...(scenario !== undefined && { scenarios: { from: { old: scenario }, active: ['old'] } }),
  });
}

/** The answers that a tool gave to the requests of a file. */
export function readAnswers(name: string): readonly Answered[] {
  return JSON.parse(readFileSync(join(EXPORTS, name), 'utf8')) as readonly Answered[];
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Asks the mock what the old mock was asked, and compares status, body, media type and headers. */
export async function expectSameAnswers(mock: Mock, answers: readonly Answered[]): Promise<void> {
  expect(answers.length).toBeGreaterThan(0);
  for (const { method, path, headers = {}, body, answer } of answers) {
    const what = `${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`;
    const own: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = { method, headers: { ...own, ...headers }, ...(body !== undefined && { body: JSON.stringify(body) }) };
    if (answer.fault !== undefined) {
      await expect(mock.fetch(path, sent), what).rejects.toThrow();
      continue;
    }
    const response = await mock.fetch(path, sent);
    const got = { status: response.status, body: readBody(await response.text()) };
    expect(got, what).toEqual({ status: answer.status, body: readBody(answer.body) });
    for (const [name, value] of Object.entries(answer.headers)) {
      const toPlain = (text: string | null): string | undefined => text?.split(';')[0]?.trim();
      expect(toPlain(response.headers.get(name)), `${what} ${name}`).toBe(toPlain(value));
    }
  }
}
