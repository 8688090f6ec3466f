import { SAFE_METHODS, type Operation } from '../../contract/operations/operation.js';
import { toReason } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import type { OperationReport } from '../../resources/answer/report.js';
import { FORBIDDEN_METHODS } from '../../features/recording/cassette/recorded-body.js';
import { findResponse } from '../../contract/operations/responses.js';
import { readPointer } from '../../contract/pointer.js';
import { type GivenRequest, type KnownIds, listCases, listPathParameters, type VerifyCase } from './cases.js';
import { findPlace, operationOf, readItemId, type VerifiedCollection, type VerifyContext } from './context.js';
import { createVerification, type Verification, type VerifyEvent } from './events.js';
import type { FoundBreak, Learned } from './finding.js';
import { removeOwn, walkLife } from './life.js';
import { walkList } from './lists.js';
import { createRun, type VerifyRun } from './run.js';
import { type Exchange, RunOver, type Target } from './target.js';

/** What is verified. */
export interface VerifyOptions {
  /** Whether requests are sent that change something; what they make is removed again. */
  readonly allowUnsafe: boolean;
  /** Whether an operation is verified. */
  includes(operation: Operation): boolean;
  /** Requests besides those that are made of the document, and those that cannot be sent. */
  readonly given?: readonly GivenRequest[];
  readonly skipped?: readonly Learned[];
  /** Whether the user has accepted a finding; by default none. */
  readonly isSuppressed?: (found: FoundBreak) => boolean;
  /** Called with each event. */
  readonly onEvent?: (event: VerifyEvent) => void;
}

/**
 * Sends requests to a service, and lists where it does not conform to the document.
 *
 * A run that is interrupted removes what it has created, and ends as any other one.
 *
 * @throws MockError `SERVICE_UNREACHABLE` where the first request does not reach the service.
 */
export async function verifyService(
  context: VerifyContext,
  target: Target,
  options: VerifyOptions,
): Promise<Verification> {
  const { allowUnsafe, includes, isSuppressed = () => false } = options;
  const verification = createVerification();
  const emit = (event: VerifyEvent): void => {
    verification.add(event);
    options.onEvent?.(event);
  };
  const { baseUrl } = target;
  const { title, version, operations: all } = context.contract;
  const operations = all.filter(includes);
  emit({ type: 'start', title, version, baseUrl, operations: operations.length, allowUnsafe });
  for (const each of options.skipped ?? []) emit({ type: 'skipped', ...each });
  const run = createRun(context, target, { emit, isSuppressed });
  let reason: string | undefined;
  let failure: unknown;
  const endAt = (error: unknown): string => {
    const isOver = error instanceof RunOver;
    // Without an answer there is nothing to report or to remove.
    if (!isOver && verification.read().requests === 0) throw error;
    if (!isOver) failure ??= error;
    reason ??= isOver ? error.message : `it failed: ${toReason(error)}`;
    target.stop(reason);
    return reason;
  };
  await walkCollections(run, options, emit).catch(endAt);
  for (const operation of operations) {
    emit({ type: 'operation', operation: operation.id });
    const message = reason ?? (await verifyOperation(run, operation, options).catch(endAt));
    if (message === undefined) emit({ type: 'verified', operation: operation.id });
    else emit({ type: 'skipped', operation: operation.id, message });
  }
  await removeOwn(run).catch(endAt);
  emit(toEnd(verification.read(), reason));
  if (failure !== undefined) throw failure;
  return verification.read();
}

function toEnd({ findings, suppressed, verified, skipped, requests }: Verification, reason?: string): VerifyEvent {
  const counts = { findings: findings.length, suppressed: suppressed.length, verified: verified.length };
  return { type: 'end', requests, ...counts, skipped: skipped.length, isCut: reason !== undefined, reason };
}

/** Walks the lists of each collection, and with `allowUnsafe` the lives of its items. */
async function walkCollections(
  run: VerifyRun,
  { allowUnsafe, includes }: VerifyOptions,
  emit: (event: VerifyEvent) => void,
): Promise<void> {
  for (const { resource, operations } of run.context.collections) {
    const own = operations.filter((report) => includes(operationOf(run.context, report)));
    if (own.length === 0) continue;
    emit({ type: 'collection', collection: resource.name });
    const collection = { resource, operations: own };
    await readItems(run, collection);
    if (allowUnsafe) await walkLife({ ...run, collection });
  }
}

/** Puts the items of the lists of a collection into the pool. */
async function readItems(run: VerifyRun, collection: VerifiedCollection): Promise<void> {
  const { context, pool } = run;
  for (const report of collection.operations) {
    if (report.action !== 'list' || report.within !== undefined || report.list?.items === undefined) continue;
    if (!SAFE_METHODS.includes(operationOf(context, report).method)) continue;
    const place = findPlace(context, pool, { report: { ...report, id: [] }, mustBeOwn: false });
    if (place === undefined) continue;
    const items = await walkList(run, { report, collection, parents: place.ids });
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

/** Sends the cases of an operation, and the given ones. @returns why none was sent. */
async function verifyOperation(
  run: VerifyRun,
  operation: Operation,
  { allowUnsafe, given = [] }: VerifyOptions,
): Promise<string | undefined> {
  const isSafe = SAFE_METHODS.includes(operation.method);
  if (FORBIDDEN_METHODS.has(operation.method)) return `no request with ${operation.method} can be sent`;
  if (!isSafe && !allowUnsafe) return `${operation.method} may change something: --allow-unsafe sends it`;
  const known = run.context.reportOf(operation.id);
  const place = known && findPlace(run.context, run.pool, { report: known.report, mustBeOwn: !isSafe });
  const reason = await sendOwnCases(run, operation, place);
  let isSent = false;
  for (const request of given) {
    if (request.operation.id !== operation.id) continue;
    const each = await request.toCase(place?.values ?? {});
    if (each === undefined) continue;
    isSent = true;
    const ids = readParentIds(known?.report, each.path);
    await sendCase(run, each, { isUncertain: true, ids });
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
  run: VerifyRun,
  operation: Operation,
  place: ReturnType<typeof findPlace>,
): Promise<string | undefined> {
  const { context } = run;
  const isSafe = SAFE_METHODS.includes(operation.method);
  const ids = place?.values ?? {};
  const unknown = listPathParameters(operation).find((name) => !(name in ids));
  if (unknown !== undefined && !isSafe) return `no item is known for {${unknown}}`;
  const isRemoval = context.reportOf(operation.id)?.report.action === 'delete' || operation.method === 'DELETE';
  const cases = await listCases(context, operation, ids);
  if (cases.length === 0) return 'no valid request of it can be made';
  let [answers, timeouts] = [0, 0];
  for (const each of cases) {
    // A removal that succeeds takes the item of the other cases; `walkLife` has sent it.
    if (isRemoval && each.wants !== 'refused') continue;
    // The answer to a valid request can be a stream, and the others would take as long.
    if (timeouts > 0 && each.wants === 'success') continue;
    const isUncertain = unknown !== undefined || each.hasMadeValues;
    const { status, isTimeout } = await sendCase(run, each, { isUncertain, ids: place?.ids ?? [], unknown });
    if (isTimeout) timeouts += 1;
    else answers += 1;
    if (timeouts === MAX_TIMEOUTS) break;
    // Without an item there is nothing to compare.
    if (unknown !== undefined && each.wants === 'success' && isGone(status)) return `no item is known for {${unknown}}`;
    if (each.name === 'minimal' && (status === 401 || status === 403)) return `it answers ${status}: pass credentials`;
    const isAbsent = each.name === 'minimal' && status === 404 && listPathParameters(operation).length === 0;
    if (isAbsent && findResponse(operation, 404)?.status !== '404')
      return 'it answers 404: check the path of --base-url';
  }
  return timeouts > 0 && answers === 0 ? 'no answer ended in time' : undefined;
}

/** How many answers of an operation may not end in time; then its other requests are not sent. */
const MAX_TIMEOUTS = 5;

const isGone = (status: number | undefined): boolean => status === 404 || status === 410;

/** Sends a case, judges its answer and keeps what it has created, so that it is removed. */
async function sendCase(
  run: VerifyRun,
  each: VerifyCase,
  to: { readonly isUncertain: boolean; readonly ids: readonly string[]; readonly unknown?: string | undefined },
): Promise<Exchange> {
  const { operation, name, wants, mistake } = each;
  const isBare = wants === 'unauthorized';
  const exchange = await run.send({ operation, case: name, request: each.request(), isBare });
  const { status, body } = exchange;
  const isMissing = to.unknown !== undefined && wants === 'success' && isGone(status);
  if (!isMissing) run.judge({ operation, case: name, wants, exchange, mistake, isUncertain: to.isUncertain });
  const known = run.context.reportOf(operation.id);
  if (known?.report.action !== 'create' || status === undefined || status >= 300) return exchange;
  const { resource } = known.collection;
  const own = readItemId(resource, readPointer(body, known.report.answer?.item ?? ''));
  if (own !== undefined) run.pool.add(resource.name, { ids: [...to.ids, ...own], isOwn: true });
  return exchange;
}
