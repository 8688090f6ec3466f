import { formatPlace } from '../../../base/errors.js';
import { isObject, readPath } from '../../../base/json.js';
import type { Contract } from '../../../contract/contract.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { findBodyMedia } from '../../../contract/operations/responses.js';
import { createSchemaWalk, listApplied, type SchemaPointers } from '../../../contract/schema-view/walk.js';
import { listProperties, createSchemaReader } from '../../../contract/schema-view/schema-view.js';
import { means } from '../../../conventions/conventions.js';
import type { StoredExchange } from '../cassette/cassette.js';
import { loadBody } from '../cassette/recorded-body.js';
import { INVALID, type JudgedCassette } from './failure.js';
import { type DocumentChange, replaceReference, toTarget } from './overlay-target.js';

/** How deep in a request a schema is searched for. */
const MAX_DEPTH = 5;

/** The steps from the root of a value to a part of it; undefined for the elements of an array. */
type Steps = readonly (string | undefined)[];

/** Creates the function that lists the actions after which requests have to send a member that a schema no longer requires. */
export function createRequestKeeper(contract: Contract): (owner: string, name: string) => readonly object[] {
  const walk = createSchemaWalk(contract);
  const read = createSchemaReader(contract);
  // A request has no such members, whatever is required.
  const isReadOnly = (pointers: SchemaPointers): boolean =>
    walk.all(pointers).some(({ readOnly }) => readOnly === true);
  const findSteps = (owner: string, root: string, name: string): readonly Steps[] => {
    const seen = new Set<string>();
    const visit = (pointers: SchemaPointers, steps: Steps): readonly Steps[] => {
      const applied = listApplied(contract, pointers);
      const isOwn = applied.some(({ pointer, isBranch }) => pointer === owner && !isBranch);
      const own = isOwn && !isReadOnly(walk.member(pointers, name)) ? [steps] : [];
      const key = applied.map(({ pointer }) => pointer).join(' ');
      if (seen.has(key) || steps.length >= MAX_DEPTH) return own;
      seen.add(key);
      const names = new Set(applied.flatMap(({ pointer }) => listProperties(read(pointer)).map((each) => each.name)));
      const members = [...names].flatMap((each) => visit(walk.member(pointers, each), [...steps, each]));
      const elements = walk.element(pointers, Number.MAX_SAFE_INTEGER);
      return [...own, ...members, ...(elements.length === 0 ? [] : visit(elements, [...steps, undefined]))];
    };
    return visit([root], []);
  };
  return (owner, name) =>
    contract.operations.flatMap(({ body }) =>
      (body?.content ?? []).flatMap(({ schema, schemaPointer }) => {
        const target = schema === undefined ? undefined : toTarget(contract, schemaPointer);
        const steps = target === undefined ? [] : findSteps(owner, schemaPointer, name);
        const kept = steps.map((each) => toSchema(each, { required: [name] }));
        if (target === undefined || kept.length === 0) return [];
        const replaced = replaceReference(contract, schemaPointer, (reference) => ({ allOf: [reference, ...kept] }));
        return replaced ?? [{ target, update: { allOf: kept } }];
      }),
    );
}

interface RequiredParts {
  readonly contract: Contract;
  /** The value of the body of a request. */
  bodyOf(exchange: StoredExchange): unknown;
}

/**
 * The changes after which requests have to send what the service does not do without: all accepted requests have it, and a refused one lacks
 * it. Of several such members, those that the error names. A PUT of the same schema requires what a create does, as far as its requests show it.
 */
export function findRequiredMembers(
  cassette: JudgedCassette,
  { contract, bodyOf }: RequiredParts,
): readonly DocumentChange[] {
  const read = createSchemaReader(contract);
  const all = contract.operations.flatMap((operation) => {
    const { schemaPointer } = findBodyMedia({ body: operation.body }) ?? {};
    const view = read(schemaPointer);
    if (schemaPointer === undefined || view === undefined) return [];
    const inner = operation.path.includes('#')
      ? listProperties(view).find(({ name }) => means(name, 'envelopes.parameters'))
      : undefined;
    const steps = inner === undefined ? [] : [inner.name];
    const requests = listRequests(cassette, operation, (exchange) => readPath(bodyOf(exchange), steps));
    const own = inner === undefined ? view : read(inner.target);
    return [{ operation, schemaPointer, steps, requests, view: own, lacking: findLacking(requests) }];
  });
  return all.flatMap(({ operation, schemaPointer, steps, requests, view, lacking }): readonly DocumentChange[] => {
    const accepted = requests.filter(({ isAccepted }) => isAccepted);
    const same = all.filter((other) => other.view?.pointer === view?.pointer).flatMap((other) => other.lacking);
    const isSent = (name: string): boolean => accepted.every(({ sent }) => Object.hasOwn(sent, name));
    const isPut = operation.method === 'PUT' && accepted.length > 0;
    const found = new Set([...lacking, ...(isPut ? same.filter(isSent) : [])]);
    const names = [...found].filter((name) => view?.members.get(name)?.required !== true);
    const target = toTarget(contract, schemaPointer);
    if (target === undefined || names.length === 0) return [];
    const schema = toSchema(steps, { required: names });
    const replaced = replaceReference(contract, schemaPointer, (reference) => ({ allOf: [reference, schema] }));
    const place = formatPlace(contract.locate(schemaPointer));
    const message = `${place}: require ${names.map((name) => JSON.stringify(name)).join(', ')} of requests, as the service does`;
    return [{ message, actions: replaced ?? [{ target, update: { allOf: [schema] } }] }];
  });
}

/** An object of a request, and what became of it. */
interface JudgedRequest {
  readonly sent: Readonly<Record<string, unknown>>;
  readonly isAccepted: boolean;
  readonly isRefused: boolean;
  /** The body of the answer. */
  readonly says: string;
}

function listRequests(
  { folder, exchanges, hasFailed }: JudgedCassette,
  { id, path }: Operation,
  sentOf: (exchange: StoredExchange) => unknown,
): readonly JudgedRequest[] {
  return exchanges.flatMap((exchange): readonly JudgedRequest[] => {
    const { response, operation } = exchange;
    const sent = operation === id ? sentOf(exchange) : undefined;
    if (response === undefined || !isObject(sent)) return [];
    const { status } = response;
    const { body, bodyText = '' } = loadBody(folder, response);
    const isFailed = hasFailed(exchange);
    const isRefused = INVALID.has(status) || (path.includes('#') && isFailed);
    return [{ sent, isRefused, isAccepted: !isFailed, says: body === undefined ? bodyText : JSON.stringify(body) }];
  });
}

/** The members that all accepted requests have and a refused one lacks. */
function findLacking(requests: readonly JudgedRequest[]): readonly string[] {
  const [first, ...others] = requests.filter(({ isAccepted }) => isAccepted);
  if (first === undefined || others.length === 0) return [];
  const usual = Object.keys(first.sent).filter((name) => others.every(({ sent }) => Object.hasOwn(sent, name)));
  const found = requests.flatMap(({ isRefused, sent, says }) => {
    const lacking = isRefused ? usual.filter((name) => !Object.hasOwn(sent, name)) : [];
    return lacking.length > 1 ? lacking.filter((name) => says.includes(name)) : lacking;
  });
  return [...new Set(found)];
}

/** The schema of a value whose part at the steps has a schema. */
function toSchema(steps: Steps, schema: object): object {
  return steps.reduceRight<object>(
    (inner, step) => (step === undefined ? { items: inner } : { properties: { [step]: inner } }),
    schema,
  );
}
