import { SAFE_METHODS, type Operation } from '../../contract/operations/operation.js';
import { isObject } from '../../base/json.js';
import type { OperationReport } from '../../resources/answer/report.js';
import { FORBIDDEN_METHODS } from '../../features/recording/cassette/recorded-body.js';
import { findResponse } from '../../contract/operations/responses.js';
import { readPointer } from '../../contract/pointer.js';
import { type GivenRequest, type KnownIds, listCases, listPathParameters, type VerifyCase } from './cases.js';
import { createPool, findPlace, type ItemPool, readItemId, type VerifyContext } from './context.js';
import { type Finding, type FoundBreak, joinCauses, type Learned } from './finding.js';
import { createJudge } from './judge.js';
import { removeOwn, walkLife } from './life.js';
import { walkList, type WalkParts } from './lists.js';
import type { Exchange, Target } from './target.js';

/** What is verified. */
export interface VerifyOptions {
  /** Whether requests are sent that change something; what they make is removed again. */
  readonly allowUnsafe: boolean;
  /** Whether an operation is verified. */
  includes(operation: Operation): boolean;
  /** Requests besides those that are made of the document. */
  readonly given?: readonly GivenRequest[];
  /** Called with each operation before its requests. */
  readonly onOperation?: ((operation: Operation) => void) | undefined;
}

/** The result of verifying a service. */
export interface Verification {
  readonly findings: readonly Finding[];
  /** Facts that the document lacks. */
  readonly learned: readonly Learned[];
  /** Operations that were not verified, each with the reason. */
  readonly skipped: readonly Learned[];
  readonly verified: readonly string[];
  readonly requests: number;
  /** Whether the time was over before all requests were sent. */
  readonly isCut: boolean;
}

/** Sends requests to a service, and lists where it does not keep the document. */
export async function verifyService(
  context: VerifyContext,
  target: Target,
  options: VerifyOptions,
): Promise<Verification> {
  const found = { breaks: [] as FoundBreak[], learned: [] as Learned[] };
  const parts: WalkParts = { context, target, found, judge: createJudge(context) };
  const pool = createPool();
  const walked = new Set<string>();
  const includes = (id: string): boolean => {
    const operation = context.contract.operation(id);
    return operation !== undefined && options.includes(operation);
  };
  for (const collection of context.collections) {
    const own = { ...collection, operations: collection.operations.filter(({ operation }) => includes(operation)) };
    if (target.isOver) break;
    await readItems(parts, pool, own);
    if (options.allowUnsafe) await walkLife({ ...parts, pool, collection: own });
    for (const { operation } of own.operations) walked.add(operation);
  }
  const skipped: Learned[] = [];
  const verified: string[] = [];
  for (const operation of context.contract.operations) {
    if (!options.includes(operation)) continue;
    options.onOperation?.(operation);
    const reason = target.isOver ? 'the time was over' : await verifyOperation({ ...parts, pool }, operation, options);
    if (reason === undefined) verified.push(operation.id);
    else skipped.push({ operation: operation.id, message: reason });
  }
  await removeOwn({ ...parts, pool });
  const learned = [...new Map(found.learned.map((each) => [`${each.operation} ${each.message}`, each])).values()];
  const isCut = target.isOver;
  return { findings: joinCauses(found.breaks), learned, skipped, verified, requests: target.requests, isCut };
}

/** Puts the items of the lists of a collection into the pool. */
async function readItems(
  parts: WalkParts,
  pool: ItemPool,
  collection: Parameters<typeof walkLife>[0]['collection'],
): Promise<void> {
  for (const report of collection.operations) {
    if (report.action !== 'list' || report.within !== undefined || report.list?.items === undefined) continue;
    const operation = parts.context.contract.operation(report.operation);
    if (operation === undefined || !SAFE_METHODS.includes(operation.method)) continue;
    const place = findPlace(parts.context, pool, { report: { ...report, id: [] }, mustBeOwn: false });
    if (place === undefined) continue;
    const items = await walkList(parts, { report, collection, parents: place.ids });
    for (const item of items.slice(0, MAX_ITEMS)) {
      const element = readPointer(item, report.list.element?.item ?? '');
      const own = isObject(element) ? readItemId(collection.resource, element) : undefined;
      // A list of another place can have the ids of items below other parents.
      const isWhole = collection.resource.parents.length === report.parents.length;
      if (own !== undefined && isWhole)
        pool.add(collection.resource.name, { ids: [...place.ids, ...own], isOwn: false });
    }
  }
}

/** How many items of a list are kept. */
const MAX_ITEMS = 3;

type VerifyParts = WalkParts & { readonly pool: ItemPool };

/** Sends the cases of an operation, and the given ones. @returns why none was sent. */
async function verifyOperation(
  parts: VerifyParts,
  operation: Operation,
  { allowUnsafe, given = [] }: VerifyOptions,
): Promise<string | undefined> {
  const isSafe = SAFE_METHODS.includes(operation.method);
  if (FORBIDDEN_METHODS.has(operation.method)) return `no request with ${operation.method} can be sent`;
  if (!isSafe && !allowUnsafe) return `${operation.method} may change something: --allow-unsafe sends it`;
  const known = parts.context.reportOf(operation.id);
  const place = known && findPlace(parts.context, parts.pool, { report: known.report, mustBeOwn: !isSafe });
  const reason = await sendOwnCases(parts, operation, place);
  let isSent = false;
  for (const request of given) {
    if (request.operation.id !== operation.id || parts.target.isOver) continue;
    const each = await request.toCase(place?.values ?? {});
    if (each === undefined) continue;
    isSent = true;
    const exchange = await parts.target.send(each.request());
    judgeCase(parts, { each, exchange, isUncertain: true });
    keepCreated(parts, { each, exchange, ids: readParentIds(known?.report, each.path) });
  }
  return isSent ? undefined : reason;
}

/** The ids of the parents of an item in the parameters of a path. */
function readParentIds(report: OperationReport | undefined, path: KnownIds): readonly string[] {
  const names = report?.parents.flatMap(({ parameters }) => parameters.map(({ name }) => name)) ?? [];
  return names.map((name) => String(path[name]));
}

/** Sends the cases that are made of the document. @returns why none was sent. */
async function sendOwnCases(
  parts: VerifyParts,
  operation: Operation,
  place: ReturnType<typeof findPlace>,
): Promise<string | undefined> {
  const { context, target } = parts;
  const isSafe = SAFE_METHODS.includes(operation.method);
  const ids = place?.values ?? {};
  const unknown = listPathParameters(operation).find((name) => !(name in ids));
  if (unknown !== undefined && !isSafe) return `no item is known for {${unknown}}`;
  const isRemoval = context.reportOf(operation.id)?.report.action === 'delete' || operation.method === 'DELETE';
  const cases = await listCases(context, operation, ids);
  if (cases.length === 0) return 'no valid request of it can be made';
  for (const each of cases) {
    if (target.isOver) return undefined;
    // A removal that succeeds takes the item of the other cases; `walkLife` has sent it.
    if (isRemoval && each.wants !== 'refused') continue;
    const exchange = await target.send(each.request(), each.wants === 'unauthorized');
    // Without an item there is nothing to compare.
    if (unknown !== undefined && each.wants === 'success' && (exchange.status === 404 || exchange.status === 410))
      return `no item is known for {${unknown}}`;
    judgeCase(parts, { each, exchange, isUncertain: unknown !== undefined || each.hasMadeValues });
    keepCreated(parts, { each, exchange, ids: place?.ids ?? [] });
    if (each.name === 'minimal' && (exchange.status === 401 || exchange.status === 403))
      return `it answers ${exchange.status}: pass credentials`;
    const isAbsent = each.name === 'minimal' && exchange.status === 404 && listPathParameters(operation).length === 0;
    if (isAbsent && findResponse(operation, 404)?.status !== '404')
      return 'it answers 404: check the path of --base-url';
  }
  return undefined;
}

/** A case with the answer to its request. */
interface SentCase {
  readonly each: VerifyCase;
  readonly exchange: Exchange;
}

function judgeCase(
  { judge, found }: WalkParts,
  { each, exchange, isUncertain }: SentCase & { readonly isUncertain: boolean },
): void {
  const { operation, name, wants, mistake } = each;
  const { breaks, learned } = judge({ operation, case: name, wants, exchange, mistake, isUncertain });
  found.breaks.push(...breaks);
  found.learned.push(...learned);
}

/** Puts what a case has created into the pool, so that it is removed. @param ids - Those of its parents. */
function keepCreated(
  { context, pool }: VerifyParts,
  { each, exchange, ids }: SentCase & { readonly ids: readonly string[] },
): void {
  const known = context.reportOf(each.operation.id);
  const isCreated = known?.report.action === 'create' && exchange.status !== undefined && exchange.status < 300;
  if (!isCreated) return;
  const own = readItemId(known.collection.resource, readPointer(exchange.body, known.report.answer?.item ?? ''));
  if (own !== undefined) pool.add(known.collection.resource.name, { ids: [...ids, ...own], isOwn: true });
}
