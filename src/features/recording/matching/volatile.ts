import { UUID } from '../../../base/names.js';
import { memoize } from '../../../base/memoize.js';
import type { Contract } from '../../../contract/contract.js';
import { mapScalars } from '../../../base/json.js';
import { readSegments } from '../../../contract/pointer.js';
import type { StoredExchange } from '../cassette/cassette.js';
import { listDifferences, writeCanonical } from '../cassette/canonical.js';
import { readContentType } from '../../../http/header-fields.js';
import type { Call } from '../../../http/request/call.js';
import { readBodyPointers, readParameterPointers } from '../redaction/secret-walk.js';
import { createSchemaWalk } from '../../../contract/schema-view/walk.js';
import { FACT_NAMES, type RequestFacts } from './request-facts.js';

/** A recorded exchange with the normal form of its request. */
export interface RecordedFacts {
  readonly exchange: StoredExchange;
  /** The call that its request is now. */
  readonly call: Call;
  readonly facts: RequestFacts;
}

/** A recorded value, and the one that a client sent in its place. */
export type ReplacedValue = readonly [recorded: string, received: string];

/** A recorded exchange that a call matches by the kinds of values that differ in each run. */
interface KindMatch {
  readonly exchange: StoredExchange;
  readonly replaced: readonly ReplacedValue[];
}

/** Finds exchanges that equal a call except for dates, UUIDs and generated ids. */
type FindByKind = (received: RequestFacts, recorded: readonly RecordedFacts[]) => readonly KindMatch[];

/** Kinds of values that differ in each run, most precise first. */
const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['uuid', UUID],
  ['date-time', /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:?\d{2})?$/],
  ['date', /^\d{4}-\d{2}-\d{2}$/],
  ['timestamp', /^1\d{9}(?:\d{3})?(?:\.\d+)?$/],
  // Letters and digits, as in a ULID, an ObjectId or `req_9aK2…`.
  ['id', /^(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])[\w-]{16,64}$/],
];

/** The schema formats of a kind. */
const FORMATS: Readonly<Record<string, string>> = { uuid: 'uuid', 'date-time': 'date-time', date: 'date' };

/** Kinds whose values are the same wherever they occur, so that an answer repeats the value of the client. */
const IDENTIFYING: ReadonlySet<string> = new Set(['uuid', 'date-time', 'id']);

/** The kind of a value; undefined for one that is the same in each run. */
export function readKind(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value);
  return text.length < 10 ? undefined : KINDS.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Whether a value is a date or a time. */
export function isTime(value: unknown): boolean {
  const kind = readKind(value);
  return kind === 'date-time' || kind === 'date' || kind === 'timestamp';
}

/** Creates the search by kind. @param cassette - In the order of recording. */
export function createFindByKind(contract: Contract, cassette: () => readonly RecordedFacts[]): FindByKind {
  const schemas = createSchemaWalk(contract);
  // A mode that records misses searches all exchanges for each call.
  const looseOf = memoize(writeLoose);
  /** Whether the schema of a value in a request has the format of a kind. */
  const isDeclared = ({ call: { operation }, exchange }: RecordedFacts, place: string, kind: string): boolean => {
    const [part = '', name = '', ...rest] = readSegments(place);
    const mediaType = readContentType(exchange.request.headers);
    const isBody = part === 'body';
    let pointers = isBody
      ? readBodyPointers(operation.body?.content ?? [], mediaType)
      : readParameterPointers(operation, part, name);
    for (const step of isBody ? [name, ...rest] : rest) {
      pointers = [
        ...schemas.member(pointers, step),
        ...(/^\d+$/.test(step) ? schemas.element(pointers, Number(step)) : []),
      ];
    }
    return schemas.all(pointers).some(({ format }) => format !== undefined && format === FORMATS[kind]);
  };
  /** Whether a client made a value of a path: no earlier exchange has it, and this one or a later one writes under it. */
  const isMadeByClient = ({ exchange }: RecordedFacts, value: unknown): boolean => {
    const text = String(value);
    const has = ({ request, response }: StoredExchange): boolean => JSON.stringify([request, response]).includes(text);
    const all = cassette().map((each) => each.exchange);
    if (all.some((other) => other.number < exchange.number && has(other))) return false;
    // Clients ask whether there is something under an id before they write it.
    return isWrite(exchange) || all.some((other) => other.number > exchange.number && isWrite(other) && has(other));
  };

  return (received, recorded) => {
    const loose = writeLoose(received);
    const group = recorded.filter(({ facts }) => looseOf(facts) === loose);
    const [first] = group;
    if (first === undefined) return [];
    // Places whose values differ between recorded exchanges.
    const varied = new Set(group.flatMap(({ facts }) => listDifferent(first.facts, facts).map(({ place }) => place)));
    return group.flatMap((entry): readonly KindMatch[] => {
      const differences = listDifferent(entry.facts, received);
      const isVolatile = ({ place, one }: PlacedDifference): boolean => {
        if (place.startsWith('/path')) return isMadeByClient(entry, one);
        return varied.has(place) || isDeclared(entry, place, readKind(one) ?? '');
      };
      const known = new Map(differences.filter(isVolatile).map(({ one, other }) => [one, other]));
      // The same value in another place, such as the id of the path in the body.
      const isMatch = differences.every((found) => known.get(found.one) === found.other || isVolatile(found));
      const replaced = differences
        .filter(({ one }) => IDENTIFYING.has(readKind(one) ?? ''))
        .map(({ one, other }): ReplacedValue => [String(one), String(other)]);
      return isMatch ? [{ exchange: entry.exchange, replaced }] : [];
    });
  };
}

function isWrite({ request }: StoredExchange): boolean {
  return request.method === 'PUT' || request.method === 'POST';
}

/** The facts with the kinds of values in place of the values that differ in each run. */
function writeLoose(facts: RequestFacts): string {
  return writeCanonical(
    mapScalars(facts, (value) => {
      const kind = readKind(value);
      return kind === undefined ? value : `\u0000${kind}`;
    }),
  );
}

interface PlacedDifference {
  /** The part and the pointer inside of it: `/body/id`. */
  readonly place: string;
  readonly one: unknown;
  readonly other: unknown;
}

function listDifferent(one: RequestFacts, other: RequestFacts): readonly PlacedDifference[] {
  return FACT_NAMES.flatMap((part) =>
    listDifferences(one[part], other[part]).map((found) => ({ ...found, place: `/${part}${found.pointer}` })),
  );
}

/** The facts with the recorded values in place of those that the client sent for them. */
export function translateFacts(facts: RequestFacts, values: ReadonlyMap<string, string>): RequestFacts {
  // Facts keep their structure.
  return mapScalars(facts, (value) =>
    typeof value === 'string' ? replaceValues(value, values) : value,
  ) as RequestFacts;
}

/** A string with other values in place of some. */
export function replaceValues(text: string, values: ReadonlyMap<string, string>): string {
  let replaced = text;
  for (const [from, to] of values) replaced = replaced.replaceAll(from, () => to);
  return replaced;
}
