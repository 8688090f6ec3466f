import { writeJson } from '../../base/exact-json.js';
import { URL, URLSearchParams } from 'node:url';
import type { Operation } from '../../contract/operations/operation.js';
import { isObject } from '../../base/json.js';
import { formatPlace, MockError, suggest } from '../../base/errors.js';
import { readContentType } from '../../http/header-fields.js';
import { isJsonType, toEssence } from '../../contract/media-type.js';
import type { Interaction, InteractionRequest } from '../../journal/interaction.js';
import type { Call } from '../../http/request/call.js';
import { host, isBlob, isBytes } from '../../base/platform.js';
import type { Session } from '../../session/session.js';
import { answerItems, answerJson, answerProblem } from '../../server/control/answer.js';
import { followJournals, readReceivedAt } from './feed.js';
import { answerInspector } from './pages.js';
import { draftRequest, toRequest as toSampleRequest } from './sample-request.js';
import { type ControlHandlers, type ControlledParts, readPath } from '../../server/control/routes.js';

/** How many bytes of a body are shown. */
const MAX_BYTES = 4096;

type InspectedParts = Omit<ControlledParts, 'findViolations' | 'listActive' | 'prefix' | 'requireSession' | 'shared'>;

/** The operations that the page of the inspector needs besides those that tests use. */
export function inspectHandlers(parts: InspectedParts): ControlHandlers {
  const { contract, generator, redactor } = parts;
  return {
    getInspector: ({ call }) => answerInspector(call.url),
    streamJournal: ({ call }) => {
      // A string by its schema, which was checked.
      const only = call.query['session'] as string | undefined;
      const after = call.headers.get('last-event-id') ?? undefined;
      const events = answerItems(followJournals(parts, { only, after }));
      return { ...events, mediaType: 'text/event-stream' };
    },
    getSampleRequest: async ({ call, session }) => {
      const id = readPath(call, 'operation');
      const operation = contract.operation(id);
      if (operation === undefined) {
        const names = contract.operations.map((each) => each.id);
        const message = `operation "${id}" is not in the contract`;
        return answerProblem({ status: 404, code: 'OPERATION_UNKNOWN', message, hint: suggest(id, names) });
      }
      const draft = draftRequest(contract, generator, operation);
      const path = { ...draft.path, ...findKnownIds(parts, session(), operation) };
      const request = toSampleRequest({ ...draft, path });
      const body = request.body === null ? undefined : await request.text();
      const { pathname, search } = new URL(request.url);
      const base = operation.basePaths.find((each) => each !== '') ?? '';
      const { method, headers } = request;
      const url = `${base}${pathname}${search}`;
      return answerJson(200, { method, url, headers: Object.fromEntries(headers), body });
    },
    getInteraction: ({ call, session }) => {
      const interaction = findInteraction(session(), call);
      const plain = redactor.toPlain(interaction);
      const declared = interaction.operation === undefined ? undefined : contract.operation(interaction.operation);
      const places = new Set(plain.violations.flatMap(({ schemaPointer = [] }) => schemaPointer));
      return answerJson(200, {
        interaction: plain,
        receivedAt: readReceivedAt(interaction),
        bytes: redactor.toBytes(interaction, MAX_BYTES),
        ...(declared !== undefined && { declaredAt: formatPlace(contract.locate(declared.pointer)) }),
        places: Object.fromEntries([...places].map((pointer) => [pointer, formatPlace(contract.locate(pointer))])),
      });
    },
    replayInteraction: async ({ call, session }) => {
      const chosen = session();
      const { request } = findInteraction(chosen, call);
      const before = chosen.journal.last()?.number ?? 0;
      const response = await parts.send(toRequest(request, chosen.id));
      // A stream is in the journal when it has ended.
      await response.arrayBuffer();
      const isSame = ({ number, request: other }: Interaction): boolean => number > before && other.url === request.url;
      const added = chosen.journal.interactions.find(isSame);
      return answerJson(200, { status: response.status, ...(added !== undefined && { number: added.number }) });
    },
  };
}

/** The ids of an item of a session and its parents as the path parameters that name them, so that a request finds it. */
function findKnownIds(
  { editors, resources }: InspectedParts,
  session: Session,
  { id, parameters }: Operation,
): Readonly<Record<string, unknown>> {
  const binding = resources.bindings.get(id);
  const item = binding === undefined ? undefined : editors.list(session, binding.collection)[0];
  if (binding === undefined || item === undefined) return {};
  const { $parent = '' } = item;
  const above = typeof $parent === 'string' || typeof $parent === 'number' ? String($parent).split('/') : [];
  const known = new Map<string, unknown>();
  for (const [i, name] of binding.parents.flatMap((parent) => parent.parameters).entries()) known.set(name, above[i]);
  const idProperty = resources.collections.get(binding.collection)?.idProperty ?? 'id';
  if (binding.id.length === 1) for (const name of binding.id) known.set(name, item[idProperty]);
  const names = parameters.flatMap((parameter) => (parameter.in === 'path' ? parameter.name : []));
  const pairs = names.map((name) => [name, known.get(name)] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined && value !== ''));
}

/** @throws MockError `INTERACTION_UNKNOWN`. */
function findInteraction({ id, journal }: Session, call: Call): Interaction {
  // An integer by its schema, which was checked.
  const number = Number(readPath(call, 'number'));
  const found = journal.interactions.find((interaction) => interaction.number === number);
  if (found !== undefined) return found;
  const hint = 'the journal was cleared, or the interaction was dropped because the journal was full';
  throw new MockError('INTERACTION_UNKNOWN', `session "${id}" has no interaction #${number}`, { hint });
}

/** Fields that belong to the connection, or that follow from the body. */
const OWN_FIELDS =
  /^(connection|content-encoding|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/;

/** A recorded request as one that can be sent again, with its secrets. @throws MockError `INTERACTION_UNREPEATABLE`. */
function toRequest({ method, url, headers, body }: InteractionRequest, session: string): Request {
  const fields = new host.Headers(Object.entries(headers).filter(([name]) => !OWN_FIELDS.test(name)));
  fields.set('x-mock-session', session);
  const mediaType = readContentType(headers) ?? '';
  // The platform writes a new boundary.
  if (toEssence(mediaType) === 'multipart/form-data') fields.delete('content-type');
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
  return new host.Request(`http://mock${url}`, {
    method,
    headers: fields,
    ...(hasBody && { body: writeBody(body, mediaType) }),
  });
}

function writeBody(body: unknown, mediaType: string): string | Uint8Array<ArrayBuffer> | FormData | Blob {
  // No source creates a Uint8Array with shared memory, which is not a valid body.
  if (isBytes(body)) return body as Uint8Array<ArrayBuffer>;
  if (isBlob(body)) return body;
  const essence = toEssence(mediaType);
  if (essence === '' || isJsonType(mediaType)) return writeJson(body);
  if (typeof body === 'string') return body;
  const fields = readFields(body);
  if (fields !== undefined && essence === 'application/x-www-form-urlencoded')
    return new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)])).toString();
  if (fields === undefined || essence !== 'multipart/form-data') {
    throw new MockError('INTERACTION_UNREPEATABLE', `a decoded body of the type ${mediaType} cannot be sent again`, {
      hint: 'copy the request, and send it with a client',
    });
  }
  const form = new host.FormData();
  for (const [name, value] of fields) form.append(name, isBlob(value) ? value : String(value));
  return form;
}

/** The fields of a form; undefined for one with nested values, whose way to be written is not known any more. */
function readFields(body: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (!isObject(body)) return undefined;
  const fields = Object.entries(body).flatMap(([name, value]) =>
    [value].flat().map((each: unknown) => [name, each] as const),
  );
  return fields.some(([, value]) => typeof value === 'object' && !isBlob(value)) ? undefined : fields;
}
