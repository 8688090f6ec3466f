import { means } from '../../conventions/conventions.js';
import { SAYS_STREAM } from '../../conventions/descriptions.js';
import { isSequenceType, toEssence } from '../media-type.js';
import { isObject, readOwn, COMBINING_KEYWORDS } from '../../base/json.js';
import { findObject, type Located, readEntries, toPointer } from '../pointer.js';
import type { MediaType, Operation, StreamParameter, Streaming } from './operation.js';
import { findUsualResponse } from './responses.js';

/** Whether a value of a body or of the query asks for the stream. */
export function asksForStream(
  { parameter }: Streaming,
  body: unknown,
  query: Readonly<Record<string, unknown>>,
): boolean {
  if (parameter === undefined) return false;
  const values = parameter.in === 'query' ? query : isObject(body) ? body : {};
  return readOwn(values, parameter.name) === parameter.value;
}

/** Finds how an operation is asked for a stream; undefined where its success does not declare both a stream and something else. */
export function findStreaming(document: unknown, operation: Omit<Operation, 'streaming'>): Streaming | undefined {
  const content = findUsualResponse(operation)?.content ?? [];
  const stream = content.find(isStream);
  const others = content.filter((media) => !isStream(media)).map(({ type }) => type);
  if (stream === undefined || others.length === 0) return undefined;
  return { type: stream.type, others, parameter: findParameter(document, operation) };
}

function isStream({ type }: MediaType): boolean {
  return isSequenceType(toEssence(type));
}

/** A stream that only an extension of the operation declares: an object below a name with `stream` that has a schema below such a name. */
export function readExtensionStream(extensions: Operation['extensions'], pointer: string): MediaType | undefined {
  for (const [name, value] of Object.entries(extensions)) {
    if (!/stream/i.test(name) || !isObject(value)) continue;
    const found = Object.entries(value).find(([key, schema]) => /stream/i.test(key) && isObject(schema));
    if (found === undefined || !isObject(found[1])) continue;
    const isLines = Object.values(value).some(
      (each) => typeof each === 'string' && /^(nd)?json(l|lines)?$/i.test(each),
    );
    const schemaPointer = pointer + toPointer(name, found[0]);
    return {
      type: isLines ? 'application/x-ndjson' : 'text/event-stream',
      schema: found[1],
      schemaPointer,
      itemSchema: undefined,
      itemSchemaPointer: '',
      examples: [],
      encoding: {},
      pointer: schemaPointer,
    };
  }
  return undefined;
}

interface Candidate extends StreamParameter {
  readonly text: string;
}

/** The parameter that a hint names, else the one whose name or description says that it asks for a stream. */
function findParameter(document: unknown, operation: Omit<Operation, 'streaming'>): StreamParameter | undefined {
  const { body, parameters, extensions } = operation;
  const candidates = [
    ...(body?.content ?? []).flatMap(({ schema, schemaPointer }) =>
      listProperties(document, findObject(document, schema, schemaPointer)),
    ),
    ...parameters.flatMap((each) => {
      const own = toCandidate(document, { value: each.schema, pointer: each.schemaPointer }, each);
      return each.in === 'query' && own !== undefined ? [{ ...own, in: 'query' as const }] : [];
    }),
  ];
  const hinted = new Set(Object.entries(extensions).flatMap(([name, value]) => listNames(value, HINT.test(name))));
  const isNamed = ({ name }: Candidate): boolean => hinted.has(name);
  const found =
    candidates.find(isNamed) ??
    candidates.find(({ name }) => means(name, 'streams.parameter')) ??
    candidates.find(({ text }) => SAYS_STREAM.test(text)) ??
    candidates.find(({ value }) => value !== true);
  return found && { in: found.in, name: found.name, value: found.value };
}

const HINT = /stream/i;

/** The names in the strings of an extension that are below a name with `stream`, also as expressions: `$request.body#/stream`. */
function listNames(value: unknown, isBelow: boolean): readonly string[] {
  if (typeof value === 'string') return isBelow ? [/[\w-]+$/.exec(value)?.[0] ?? ''] : [];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => listNames(each, isBelow || HINT.test(name)));
}

const MAX_DEPTH = 6;

/** The properties of a body that can ask for a stream, also in its `allOf` and its unions. */
function listProperties(document: unknown, found: Located | undefined, depth = 0): readonly Candidate[] {
  if (found === undefined || depth > MAX_DEPTH) return [];
  const { value, pointer } = found;
  const own = readEntries(value['properties']).flatMap(
    ([name, property]) =>
      toCandidate(document, { value: property, pointer: pointer + toPointer('properties', name) }, { name }) ?? [],
  );
  const parts = listParts(document, found, COMBINING_KEYWORDS);
  return [...own, ...parts.flatMap((part) => listProperties(document, part, depth + 1))];
}

/** Reads a boolean, or a string with a value that is a kind of stream; undefined for other properties. */
function toCandidate(
  document: unknown,
  { value, pointer }: { readonly value: unknown; readonly pointer: string },
  about: { readonly name: string; readonly description?: string | undefined },
): Candidate | undefined {
  const found = findObject(document, value, pointer);
  if (found === undefined) return undefined;
  const parts = [found, ...listParts(document, found, COMBINING_KEYWORDS)];
  const text = [about.description, ...parts.map((part) => part.value['description'])].join(' ');
  const values = parts.flatMap((part): readonly unknown[] => {
    const { type, const: only, enum: some } = part.value;
    if ('const' in part.value) return [only];
    return Array.isArray(some) ? some : [type].flat().includes('boolean') ? [true] : [];
  });
  if (values.includes(true)) return { in: 'body', name: about.name, value: true, text };
  const kind = values.find((each) => typeof each === 'string' && means(each, 'streams.kind'));
  const isChoice = kind !== undefined && values.length > 1;
  return isChoice ? { in: 'body', name: about.name, value: kind, text } : undefined;
}

/** The schemas in some keywords of another one, references resolved. */
function listParts(document: unknown, { value, pointer }: Located, keywords: readonly string[]): readonly Located[] {
  return keywords.flatMap((keyword) => {
    const list: readonly unknown[] = Array.isArray(value[keyword]) ? value[keyword] : [];
    return list.flatMap((each, i) => findObject(document, each, `${pointer}/${keyword}/${i}`) ?? []);
  });
}
