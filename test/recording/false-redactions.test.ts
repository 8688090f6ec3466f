// @module-tag slow
// The examples of public documents: what is redacted in them is a secret by its name, or has the form of one.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { isObject } from '../../src/base/json.js';
import { createShopRedactor, findOperation, toExchange } from './exchanges.js';

const SPECS = '../shared/specs';

/** Members of these documents that are secrets, and places of URLs, texts and lists with one; `canonicalizedBody` is base64 with the `sig` beside it. */
const SECRETS =
  /(?:password|token|secret|assertion|code|session_id|canonicalizedBody|^pem|^sig|X-Hub-Signature|_url|^href|^number|^boxapi|^\d|description|^)$/;

/** Values that no name makes a secret. */
const PUBLIC = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|sha\d+:[\da-f]+|"?[\da-f]{32,}"?|\d{1,12}|[a-z ]+)$/i;

interface Found {
  readonly place: string;
  readonly text: string;
}

/** The examples, defaults and enums of a document, each with the name of its member, and its descriptions. */
function listExamples(node: unknown, found: unknown[] = []): unknown[] {
  if (Array.isArray(node)) for (const each of node) listExamples(each, found);
  if (!isObject(node)) return found;
  const { properties, example, examples, description } = node;
  for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isObject(schema)) continue;
    const { example: own, default: usual, const: only, enum: list } = schema;
    for (const value of [own, usual, only, ...(Array.isArray(list) ? (list as unknown[]) : [])]) {
      if (value !== undefined) found.push({ [name]: value });
    }
  }
  if (example !== undefined) found.push(example);
  for (const each of Object.values(isObject(examples) ? examples : {}))
    found.push(isObject(each) ? each['value'] : each);
  if (typeof description === 'string') found.push({ description });
  for (const value of Object.values(node)) listExamples(value, found);
  return found;
}

/** The strings that differ between two values of the same shape, and how many there are. */
function compare(before: unknown, after: unknown, place: string, count: { values: number }): Found[] {
  if (typeof before === 'object' && before !== null) {
    const names = Object.keys(after as object);
    return Object.entries(before).flatMap(([name, value], i) =>
      compare(value, (after as Record<string, unknown>)[names[i] ?? ''], name, count),
    );
  }
  count.values += 1;
  return before === after ? [] : [{ place, text: String(before) }];
}

const files = existsSync(SPECS) ? readdirSync(SPECS) : [];

it.skipIf(files.length === 0)(
  `keeps ids, hashes and prose of the public documents in ${SPECS} (skipped where they are absent)`,
  { timeout: 120_000 },
  () => {
    const count = { values: 0 };
    const found = files.flatMap((file) => {
      const redactor = createShopRedactor();
      return listExamples(load(readFileSync(`${SPECS}/${file}`, 'utf8'))).flatMap((facts) => {
        const clean = redactor.redact(toExchange({ response: { body: { facts } } }), findOperation());
        const body = clean.response?.body as { readonly facts: unknown };
        return compare(facts, body.facts, '', count);
      });
    });
    const wrong = found.filter(
      ({ place, text }) => !SECRETS.test(place) || (place === 'session_id' && PUBLIC.test(text)),
    );
    expect(wrong.map(({ place, text }) => `${place}: ${text.slice(0, 80)}`)).toEqual([]);
    expect(count.values).toBeGreaterThan(50_000);
    expect(found.length).toBeGreaterThan(50);
  },
);
