import { changeAt } from '../../base/json.js';
import { readPointer, readSegments, toPointer } from '../../contract/pointer.js';
import { declaresStatus, findSuccessMedia } from '../../contract/operations/responses.js';
import { draftRequest, type RequestDraft, toRequest } from '../../features/inspector/sample-request.js';
import { readField } from '../../http/header-fields.js';
import type { OperationReport } from '../../resources/answer/report.js';
import { findPlace, operationOf, placeIds, readItemId, type VerifiedCollection } from './context.js';
import { isListed } from './lists.js';
import type { Judged } from './judge.js';
import { askFor, type VerifyRun } from './run.js';
import { RunOver } from './target.js';

/** How the life of an item is walked. */
interface LifeParts extends VerifyRun {
  readonly collection: VerifiedCollection;
}

/** An item that a walk has created. */
interface Created {
  /** The create. */
  readonly judged: Judged;
  readonly ids: readonly string[];
  /** The strings that were sent, by the pointer into the item. */
  readonly sent: Readonly<Record<string, string>>;
}

/**
 * Creates an item, and reads, lists, updates and removes it; keeps another one in the pool, for the cases of other operations.
 *
 * Nothing is changed that this run has not created.
 */
export async function walkLife(parts: LifeParts): Promise<void> {
  const { collection } = parts;
  const find = (...actions: readonly string[]): OperationReport | undefined =>
    collection.operations.find(({ action, within }) => actions.includes(action) && within === undefined);
  const findOn = (...actions: readonly string[]): OperationReport | undefined => findOnItem(collection, ...actions);
  const create = find('create');
  const read = findOn('read');
  const remove = findOn('delete');
  // What cannot be removed again is not created.
  if (create === undefined || remove === undefined || collection.resource.singleton) return;
  const kept = await createItem(parts, create);
  if (kept === undefined) return;
  const created = await createItem(parts, create);
  if (created === undefined) return;
  if (read !== undefined) {
    const isThere = await readBack(parts, read, { created, code: 'CREATED_DIFFERS', case: 'read after create' });
    if (!isThere) return;
  }
  const list = find('list');
  const isOwn = list !== undefined && isWholeList(parts, list) && list.parents.length === create.parents.length;
  if (isOwn) await checkListed(parts, list, { created, wants: true });
  const update = findOn('update', 'replace');
  if (read !== undefined && update !== undefined) await walkUpdate(parts, { read, update, created });
  if (read !== undefined) await checkConditional(parts, read, created);
  await walkRemoval(parts, { read, remove, list: isOwn ? list : undefined, created });
  await checkIdempotency(parts, create, remove);
}

/** An operation on one item whose path names the item. */
function findOnItem(
  { resource, operations }: VerifiedCollection,
  ...actions: readonly string[]
): OperationReport | undefined {
  return operations.find(
    ({ action, within, id }) =>
      actions.includes(action) &&
      within === undefined &&
      id.length === Math.max(1, resource.keyProperties.length) &&
      id.every((each) => each.in === 'path'),
  );
}

/** Whether a list shows all items of its parents: one that requires a filter does not. */
function isWholeList(parts: LifeParts, list: OperationReport): boolean {
  const { query } = draftOf(parts, list);
  const pages = Object.values(list.list?.parameters ?? {});
  return list.list?.items !== undefined && Object.keys(query).every((name) => pages.includes(name));
}

/** Creates an item, which is in the pool until it is removed. */
async function createItem(
  parts: LifeParts,
  create: OperationReport,
  header: Readonly<Record<string, string>> = {},
): Promise<Created | undefined> {
  const { context, pool, collection } = parts;
  const place = findPlace(context, pool, { report: create, mustBeOwn: false });
  if (place === undefined) return undefined;
  const { body, sent } = fillBody(parts, create, 'a');
  const judged = await askFor(parts, create, { case: 'create', path: place.values, header, ...(body && { body }) });
  const { status, body: answer, headers } = judged.exchange;
  if (status === undefined || status >= 300) return undefined;
  const item = readPointer(answer, create.answer?.item ?? '');
  const location = readField(headers, 'location')
    ?.replace(/[?#].*$/, '')
    .replace(/\/$/, '')
    .split('/')
    .at(-1);
  const own =
    readItemId(collection.resource, item) ?? (location === undefined ? undefined : [decodeURIComponent(location)]);
  if (own === undefined) return undefined;
  const ids = [...place.ids, ...own];
  pool.add(collection.resource.name, { ids, isOwn: true });
  return { judged, ids, sent };
}

/** The body of a request with a new string in each property that is stored and takes any string. */
function fillBody(
  { context, collection }: LifeParts,
  report: OperationReport,
  round: string,
): { readonly body: RequestDraft['body']; readonly sent: Readonly<Record<string, string>> } {
  const operation = operationOf(context, report);
  const { body } = draftRequest(context.contract, context.generator, operation);
  const sent: Record<string, string> = {};
  if (body?.media.schema === undefined) return { body, sent };
  const { item = '', stored = [], renamed = [] } = report.request ?? {};
  const { resource } = collection;
  const keys = new Set([resource.idProperty, ...resource.keyProperties]);
  const check = context.validators.check(body.media.schemaPointer, 'request');
  let { value } = body;
  for (const name of stored) {
    const isFree = typeof readPointer(value, item + toPointer(name)) === 'string' && !keys.has(name);
    if (!isFree || NOT_FREE.test(name)) continue;
    const text = `vouch ${round}${Object.keys(sent).length}`;
    const changed = changeAt(value, [...readSegments(item), name], () => text);
    if (check(changed, 'body').length > 0) continue;
    value = changed;
    sent[renamed.find((each) => each.body === toPointer(name))?.item ?? toPointer(name)] = text;
  }
  return { body: { ...body, value }, sent };
}

/** Properties whose strings name other items or are kept in another form. */
const NOT_FREE =
  /id$|ids$|url$|uri$|email|phone|password|secret|token|key$|currency|country|locale|lang|zone|type$|status|state$/i;

/** Reads an item that was created or changed, and compares the strings that were sent. @returns whether there is such an item. */
async function readBack(
  parts: LifeParts,
  read: OperationReport,
  {
    created,
    code,
    case: name,
  }: { readonly created: Created; readonly code: 'CREATED_DIFFERS' | 'UPDATE_LOST'; readonly case: string },
): Promise<boolean> {
  const judged = await ask(parts, read, { case: name, ids: created.ids });
  const { status, body } = judged.exchange;
  if (status === 404 || status === 410) {
    const message = `the item that was created answers ${status}`;
    parts.report(judged, { code: 'NOT_CREATED', message });
    return false;
  }
  if (status === undefined || status >= 300) return true;
  for (const [at, text] of Object.entries(created.sent)) {
    const own = read.answer?.renamed.find((each) => each.item === at)?.body ?? at;
    const shown = readPointer(body, `${read.answer?.item ?? ''}${own}`);
    // A property of an object can be that of another item, which exists already.
    if (typeof shown !== 'string' || readSegments(own).length > 1 || isSlug(shown, text)) continue;
    // The answer may not be able to show what was sent, such as text where it declares a URL.
    const place = readSegments(`${read.answer?.item ?? ''}${own}`);
    if (
      !mayShow(
        parts,
        read,
        changeAt(body, place, () => text),
      )
    )
      continue;
    const message = `${own} is ${JSON.stringify(shown.slice(0, 60))}, and ${JSON.stringify(text)} was sent`;
    parts.report(judged, { code, message });
  }
  return true;
}

function mayShow({ context }: LifeParts, read: OperationReport, body: unknown): boolean {
  const media = findSuccessMedia(operationOf(context, read));
  return media === undefined || context.validators.check(media.schemaPointer, 'response')(body, 'body').length === 0;
}

/** Whether a string is kept in another form, such as `vouch-a0`. */
function isSlug(shown: string, sent: string): boolean {
  const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return letters(shown).includes(letters(sent));
}

function ask(
  parts: LifeParts,
  report: OperationReport,
  {
    ids,
    ...change
  }: { readonly case: string; readonly ids: readonly string[]; readonly header?: Readonly<Record<string, string>> },
): Promise<Judged> {
  return askFor(parts, report, { ...change, path: placeIds(report, ids) });
}

async function checkListed(
  parts: LifeParts,
  list: OperationReport,
  { created, wants }: { readonly created: Created; readonly wants: boolean },
): Promise<void> {
  const { collection } = parts;
  const own = created.ids.slice(list.parents.flatMap(({ parameters }) => parameters).length);
  const found = await isListed(
    parts,
    { report: list, collection, parents: created.ids.slice(0, -own.length) },
    own.join('/'),
  );
  if (found === undefined || found.isShown === wants) return;
  // A list that shows none of its items' ids cannot be compared.
  if (wants && found.page.ids.length < found.page.items.length) return;
  const message = wants
    ? `the list does not show the created item ${own.join('/')}`
    : `the list still shows ${own.join('/')}`;
  const code = wants ? 'NOT_LISTED' : 'DELETED_LISTED';
  parts.report(found.page.judged, { code, message });
}

async function walkUpdate(
  parts: LifeParts,
  {
    read,
    update,
    created,
  }: { readonly read: OperationReport; readonly update: OperationReport; readonly created: Created },
): Promise<void> {
  const { body, sent } = fillBody(parts, update, 'b');
  const path = placeIds(update, created.ids);
  const { exchange } = await askFor(parts, update, { case: 'update', path, ...(body && { body }) });
  if (exchange.status === undefined || exchange.status >= 300) return;
  await readBack(parts, read, { created: { ...created, sent }, code: 'UPDATE_LOST', case: 'read after update' });
}

/** A read with the entity tag of the item is 304 (RFC 9110 13.1.2), where the document declares it. */
async function checkConditional(parts: LifeParts, read: OperationReport, { ids }: Created): Promise<void> {
  const operation = operationOf(parts.context, read);
  if (!declaresStatus(operation, 304)) return;
  const first = await ask(parts, read, { case: 'read', ids });
  const tag = readField(first.exchange.headers, 'etag');
  if (tag === undefined) return;
  const judged = await ask(parts, read, { case: 'read with If-None-Match', ids, header: { 'if-none-match': tag } });
  if (judged.exchange.status !== 200) return;
  const message = `If-None-Match: ${tag} is answered with 200`;
  parts.report(judged, { code: 'ETAG_IGNORED', message });
}

async function walkRemoval(
  parts: LifeParts,
  of: {
    readonly read: OperationReport | undefined;
    readonly remove: OperationReport;
    readonly list: OperationReport | undefined;
    readonly created: Created;
  },
): Promise<void> {
  const { read, remove, list, created } = of;
  const { exchange } = await removeItem(parts, remove, created);
  if (exchange.status === undefined || exchange.status >= 300) return;
  if (read !== undefined) {
    const operation = operationOf(parts.context, read);
    const request = toRequest({ ...draftOf(parts, read), path: placeIds(read, created.ids) });
    const gone = await parts.send({ operation, case: 'read after delete', request });
    const isMarked =
      Object.keys(remove.set).length > 0 ||
      /"(?:deleted|archived|is_deleted)":\s*true|"[^"]*(?:deleted|removed|archived)_?at":\s*["\d]/i.test(gone.text) ||
      /"(?:status|state)":\s*"(?:deleted|removed|archived|cancell?ed|inactive|terminated)/i.test(gone.text);
    if (isMarked) return;
    if (gone.status !== undefined && gone.status < 300) {
      const judged: Judged = { operation, case: 'read after delete', wants: 'success', exchange: gone };
      const message = `the deleted item ${created.ids.join('/')} is answered with ${gone.status}`;
      parts.report(judged, { code: 'DELETED_READABLE', message });
      return;
    }
  }
  if (list !== undefined) await checkListed(parts, list, { created, wants: false });
}

function draftOf({ context }: LifeParts, report: OperationReport): RequestDraft {
  return draftRequest(context.contract, context.generator, operationOf(context, report));
}

/** Two creates with one key make one item, where the document declares the header. */
async function checkIdempotency(parts: LifeParts, create: OperationReport, remove: OperationReport): Promise<void> {
  const operation = operationOf(parts.context, create);
  const header = operation.parameters.find(
    ({ in: place, name }) => place === 'header' && /^(x-)?idempotency-?key$/i.test(name),
  );
  if (header === undefined) return;
  const key = { [header.name]: `vouch-${Date.now()}` };
  const one = await createItem(parts, create, key);
  const other = await createItem(parts, create, key);
  const isSame = one?.ids.join('/') === other?.ids.join('/');
  for (const created of isSame ? [one] : [one, other]) if (created) await removeItem(parts, remove, created);
  if (one === undefined || other === undefined || isSame) return;
  const message = `two creates with one ${header.name} make ${one.ids.join('/')} and ${other.ids.join('/')}`;
  parts.report(
    { ...other.judged, case: 'create twice' },
    { code: 'IDEMPOTENCY_IGNORED', message, pointer: header.pointer },
  );
}

/** Removes an item that the run has created, and says where that fails. @param isLast - Also after the end of the run. */
async function removeItem(
  parts: LifeParts,
  remove: OperationReport,
  { ids, isLast = false }: Pick<Created, 'ids'> & { readonly isLast?: boolean },
): Promise<Judged> {
  const judged = await askFor(parts, remove, { case: 'delete', path: placeIds(remove, ids), isLast });
  parts.pool.remove(parts.collection.resource.name, { ids, isOwn: true });
  const { status = 0, failure = `it answers ${status}` } = judged.exchange;
  // The item of a parent that is removed is gone with it.
  const isGone = (status >= 200 && status < 300) || status === 404 || status === 410;
  if (!isGone) sayLeft(parts, ids, failure);
  return judged;
}

function sayLeft({ learn, collection }: LifeParts, ids: readonly string[], reason: string): void {
  const create = collection.operations.find(({ action }) => action === 'create');
  const operation = (findOnItem(collection, 'delete') ?? create)?.operation ?? collection.resource.name;
  learn({ operation, message: `the created item ${ids.join('/')} is not removed: ${reason}` });
}

/** Removes what a run has created and kept, children before their parents. */
export async function removeOwn(run: VerifyRun): Promise<void> {
  for (const collection of run.context.collections.toReversed()) {
    const parts = { ...run, collection };
    const { name } = collection.resource;
    const remove = findOnItem(collection, 'delete');
    for (let item = run.pool.find(name, [], true); item !== undefined; item = run.pool.find(name, [], true)) {
      const { ids } = item;
      const sayOver = (error: unknown): void => {
        if (!(error instanceof RunOver)) throw error;
        sayLeft(parts, ids, error.message);
      };
      if (remove === undefined) sayLeft(parts, ids, 'no operation deletes it');
      else await removeItem(parts, remove, { ids, isLast: true }).catch(sayOver);
      run.pool.remove(name, item);
    }
  }
}
