import { isEqualJson } from '../../base/json.js';
import {
  findMedia,
  isFormType,
  isJsonType,
  isStructuredType,
  isTextType,
  toEssence,
} from '../../contract/media-type.js';
import type {
  DeclaredHeader,
  DeclaredResponse,
  MediaType,
  Operation,
  RequestBody,
} from '../../contract/operations/operation.js';
import { findResponse, toStatus } from '../../contract/operations/responses.js';
import type { Direction } from '../../schema/violation.js';
import type { Change } from './change.js';
import { compareLinks } from './links.js';
import type { CompareValue, OperationChange, OperationPair } from './operation-change.js';
import { compareParameters } from './parameters.js';
import type { ContractPair, SchemaDiff } from './schemas.js';
import { compareSecurity } from './security.js';

/** Compares an operation of two contracts. */
export function compareOperation(
  pair: OperationPair,
  contracts: ContractPair,
  schemas: SchemaDiff,
): readonly OperationChange[] {
  return [
    ...compareSecurity(pair, contracts),
    ...compareMessages(pair, schemas, (direction) => direction),
    ...compareLinks(pair, contracts),
  ];
}

/** Compares a webhook or a callback: clients receive its requests and send its responses. */
export function comparePushedOperation(pair: OperationPair, schemas: SchemaDiff): readonly OperationChange[] {
  const reverse = (direction: Direction): Direction => (direction === 'request' ? 'response' : 'request');
  return compareMessages(pair, schemas, reverse).map(({ where, direction: given, change }) => {
    const direction = reverse(given);
    // A client cannot choose the media type of a request that it receives.
    const isUnasked = change.code === 'MEDIA_TYPE_ADDED' && direction === 'response';
    return { where, direction, change: isUnasked ? { ...change, severity: 'risky' } : change };
  });
}

/** Compares requests and responses. @param toDirection - What clients do with the values of a request, and of a response. */
function compareMessages(
  pair: OperationPair,
  schemas: SchemaDiff,
  toDirection: (direction: Direction) => Direction,
): readonly OperationChange[] {
  const compareValue: CompareValue = (values, where) =>
    schemas.changes({ ...values, direction: toDirection(values.direction) }).map(({ at, change }) => {
      return { direction: values.direction, where: at === '' ? where : `${where} ${at}`, change };
    });
  return [
    ...compareHead(pair),
    ...compareParameters(pair, compareValue, schemas),
    ...compareBody(pair, compareValue),
    ...compareResponses(pair, compareValue),
  ];
}

function compareHead({ old, now }: OperationPair): readonly OperationChange[] {
  const at = { old: old.pointer, now: now.pointer };
  const changes: Change[] = [];
  if (now.deprecated && !old.deprecated)
    changes.push({ ...at, code: 'DEPRECATED', text: 'the operation is deprecated now' });
  // An operation without an id has its method and path.
  const isNamed = !old.id.includes(' ');
  if (isNamed && old.id !== now.id)
    changes.push({ ...at, code: 'OPERATION_ID_CHANGED', text: `the operationId was "${old.id}" and is "${now.id}"` });
  return changes.map((change) => ({ direction: 'request', where: '', change }));
}

function compareBody({ old, now }: OperationPair, compareValue: CompareValue): readonly OperationChange[] {
  const [was, is] = [old.body, now.body];
  const where = 'request body';
  const note = (change: Change): readonly OperationChange[] => [{ direction: 'request', where, change }];
  if (was === undefined || is === undefined) {
    if (was === is) return [];
    const at = { old: was?.pointer ?? old.pointer, now: is?.pointer ?? now.pointer };
    if (is === undefined) return note({ ...at, code: 'BODY_REMOVED', text: 'it was removed' });
    if (is.required) return note({ ...at, code: 'BODY_REQUIRED', text: 'it was added and is required' });
    return note({ ...at, code: 'BODY_ADDED', text: 'it was added' });
  }
  return [
    ...compareRequired({ old: was, now: is }).flatMap(note),
    ...compareContent({ old: was, now: is }, { direction: 'request', where }, compareValue),
  ];
}

function compareRequired({ old, now }: { readonly old: RequestBody; readonly now: RequestBody }): readonly Change[] {
  if (old.required === now.required) return [];
  const at = { old: old.pointer, now: now.pointer };
  if (now.required) return [{ ...at, code: 'BODY_REQUIRED', text: 'it is required now' }];
  return [{ ...at, code: 'BODY_OPTIONAL', text: 'it is no longer required' }];
}

/** A part of a message with a `content` map. */
interface WithContent {
  readonly content: readonly MediaType[];
  readonly pointer: string;
}

function compareContent(
  { old, now }: { readonly old: WithContent; readonly now: WithContent },
  { direction, where }: Pick<OperationChange, 'direction' | 'where'>,
  compareValue: CompareValue,
): readonly OperationChange[] {
  const isSingle = old.content.length === 1 && now.content.length === 1;
  const removed: MediaType[] = [];
  const found = old.content.flatMap((media): readonly OperationChange[] => {
    const next = findMedia(now.content, media.type);
    if (next === undefined) {
      removed.push(media);
      return [];
    }
    const place = isSingle || isJsonType(media.type) ? where : `${where} (${media.type})`;
    return compareMedia({ old: media, now: next }, { direction, where: place }, compareValue);
  });
  // Without any content the document says nothing of the body of a response.
  const lost = now.content.length === 0 && direction === 'response' ? [] : removed;
  const added = now.content.filter((media) => findMedia(old.content, media.type) === undefined);
  const changes = [
    ...lost.map((media): Change => {
      return { code: 'MEDIA_TYPE_REMOVED', text: `${media.type} was removed`, old: media.pointer, now: now.pointer };
    }),
    ...(now.content.length === 0 && removed.length > 0 && direction === 'response'
      ? [{ code: 'MEDIA_TYPE_REMOVED', text: 'it was removed', old: old.pointer, now: now.pointer } as const]
      : []),
    ...added.map((media): Change => {
      return { code: 'MEDIA_TYPE_ADDED', text: `${media.type} was added`, old: old.pointer, now: media.pointer };
    }),
  ];
  return [...changes.map((change) => ({ direction, where, change })), ...found];
}

function compareMedia(
  { old, now }: { readonly old: MediaType; readonly now: MediaType },
  { direction, where }: Pick<OperationChange, 'direction' | 'where'>,
  compareValue: CompareValue,
): readonly OperationChange[] {
  const isText = isFormType(toEssence(old.type));
  // Bytes have no JSON type: documents give them one or none.
  const isBytes = [old, now].every(({ type }) => !isTextType(type) && !isStructuredType(type));
  if (isBytes) return [];
  const about = { direction, isText };
  const whole = compareValue({ old: [old.schemaPointer], now: [now.schemaPointer], ...about }, where);
  const hasItems = old.itemSchema !== undefined || now.itemSchema !== undefined;
  const items = hasItems
    ? compareValue({ old: [old.itemSchemaPointer], now: [now.itemSchemaPointer], ...about }, `${where} /*`)
    : [];
  const names = Object.keys(old.encoding).filter((name) => now.encoding[name] !== undefined);
  const encodings = names.flatMap((name): readonly OperationChange[] => {
    const [was, is] = [old.encoding[name], now.encoding[name]].map((encoding) => {
      return [encoding?.contentType, encoding?.style, encoding?.explode];
    });
    if (isEqualJson(was, is)) return [];
    const text = `the encoding of "${name}" has changed`;
    return [{ direction, where, change: { code: 'ENCODING_CHANGED', text, old: old.pointer, now: now.pointer } }];
  });
  return [...whole, ...items, ...encodings];
}

/** The first status of an error. */
const FIRST_ERROR = 400;

function compareResponses({ old, now }: OperationPair, compareValue: CompareValue): readonly OperationChange[] {
  const declared = old.responses.filter(({ isAssumed }) => isAssumed !== true);
  const present = now.responses.filter(({ isAssumed }) => isAssumed !== true);
  const changes = declared.flatMap((response): readonly OperationChange[] => {
    const next = findNext(response, { ...now, responses: present });
    if (next !== undefined) return compareResponse({ old: response, now: next }, compareValue);
    // Nothing is known of an operation without responses.
    if (present.length === 0 || response.status === 'default') return [];
    const code = toStatus(response.status) < FIRST_ERROR ? 'STATUS_REMOVED' : 'STATUS_ERROR_REMOVED';
    const change: Change = { code, text: 'it was removed', old: response.pointer, now: now.pointer };
    return [{ direction: 'response', where: `status ${response.status}`, change }];
  });
  const added = present.filter((response) => !declared.some(({ status }) => status === response.status));
  const more = declared.length === 0 ? [] : added;
  return [
    ...changes,
    ...more.flatMap((response): readonly OperationChange[] => {
      // An answer that a range or `default` described before.
      const before = findNext(response, { ...old, responses: declared });
      if (before !== undefined && declared.length > 0)
        return compareResponse({ old: before, now: response }, compareValue);
      // RFC 9110 section 15: a client treats an unknown status as x00 of its class, so that it knows an error.
      const isError = response.status === 'default' || toStatus(response.status) >= FIRST_ERROR;
      const code = isError ? 'STATUS_ERROR_ADDED' : 'STATUS_ADDED';
      const change: Change = { code, text: 'it was added', old: old.pointer, now: response.pointer };
      return [{ direction: 'response', where: `status ${response.status}`, change }];
    }),
  ];
}

/** The response that describes what another document has for a status. */
function findNext({ status }: DeclaredResponse, operation: Operation): DeclaredResponse | undefined {
  const same = operation.responses.find((response) => response.status === status);
  if (same !== undefined || status === 'default') return same;
  const found = findResponse(operation, toStatus(status));
  // `default` of a document with its own successes describes errors.
  const isOfErrors = found?.status === 'default' && operation.responses.length > 1 && toStatus(status) < FIRST_ERROR;
  return isOfErrors ? undefined : found;
}

function compareResponse(
  { old, now }: { readonly old: DeclaredResponse; readonly now: DeclaredResponse },
  compareValue: CompareValue,
): readonly OperationChange[] {
  const where = `response ${old.status === 'default' ? now.status : old.status}`;
  return [
    ...compareHeaders({ old, now }, where, compareValue),
    ...compareContent({ old, now }, { direction: 'response', where: `${where} body` }, compareValue),
  ];
}

function compareHeaders(
  { old, now }: { readonly old: DeclaredResponse; readonly now: DeclaredResponse },
  response: string,
  compareValue: CompareValue,
): readonly OperationChange[] {
  const find = (headers: readonly DeclaredHeader[], { name }: DeclaredHeader): DeclaredHeader | undefined =>
    headers.find((header) => header.name.toLowerCase() === name.toLowerCase());
  const toWhere = ({ name }: DeclaredHeader): string => `${response} header "${name}"`;
  const kept = old.headers.flatMap((header): readonly OperationChange[] => {
    const next = find(now.headers, header);
    const at = { old: header.pointer, now: next?.pointer ?? now.pointer };
    const where = toWhere(header);
    const note = (change: Pick<Change, 'code' | 'text'>): OperationChange => {
      return { direction: 'response', where, change: { ...at, ...change } };
    };
    if (next === undefined)
      return [note({ code: header.required ? 'HEADER_REQUIRED_REMOVED' : 'HEADER_REMOVED', text: 'it was removed' })];
    const values = { old: [header.schemaPointer], now: [next.schemaPointer] };
    const isText = next.mediaType === undefined;
    return [
      ...(header.required && !next.required
        ? [note({ code: 'HEADER_OPTIONAL', text: 'it is no longer required' })]
        : []),
      ...(next.required && !header.required ? [note({ code: 'HEADER_REQUIRED', text: 'it is required now' })] : []),
      ...compareValue({ ...values, direction: 'response', isText }, where),
    ];
  });
  const added = now.headers.filter((header) => find(old.headers, header) === undefined);
  return [
    ...kept,
    ...added.map((header): OperationChange => {
      const at = { old: old.pointer, now: header.pointer };
      const change: Change = header.required
        ? { ...at, code: 'HEADER_REQUIRED', text: 'it was added and is required' }
        : { ...at, code: 'HEADER_ADDED', text: 'it was added' };
      return { direction: 'response', where: toWhere(header), change };
    }),
  ];
}
