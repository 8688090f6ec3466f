import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { isJsonType } from '../../contract/media-type.js';
import { isObject } from '../../base/json.js';
import { host } from '../../base/platform.js';
import { draftRequest, type RequestDraft, toRequest } from '../../features/inspector/sample-request.js';
import { type CallParts, matchRequest } from '../../features/recording/matching/exchange-index.js';
import type { Generator } from '../../generate/generate.js';
import type { Call } from '../../http/request/call.js';
import { listErrors, type Violation } from '../../schema/violation.js';
import { BARE, NOT_JSON, OTHER_TYPE } from './finding.js';
import { breakRequest } from './mistakes.js';

/** What the document says about the answer to a request; `any` where a refusal would be no surprise. */
export type Expectation = 'any' | 'refused' | 'success' | 'unauthorized';

/** One request that is sent, and what the answer has to be. */
export interface VerifyCase {
  readonly operation: Operation;
  /** `minimal`, `full`, `example cat`, `query limit=abc`. */
  readonly name: string;
  readonly wants: Expectation;
  readonly request: () => Request;
  /** For a request that is invalid: the mistake. */
  readonly mistake?: Violation | undefined;
  /** Whether it has values that were made for it: they can break rules that the document cannot say, or name items that do not exist. */
  readonly hasMadeValues: boolean;
}

/** A request that was recorded, or that a scenario answers. */
export interface GivenRequest {
  readonly operation: Operation;
  /** Its case, with the parameters of its path; undefined where no request can be made of it. @param ids - Of items that exist. */
  toCase(ids: KnownIds): Promise<(VerifyCase & { readonly path: Readonly<Record<string, unknown>> }) | undefined>;
}

interface CaseParts extends CallParts {
  readonly generator: Generator;
}

/** Values for the parameters of a path, and the properties of a body, that name items. */
export type KnownIds = Readonly<Record<string, unknown>>;

/**
 * The cases of an operation, the smallest valid request first: what is found by it needs no other one.
 *
 * Each request is decoded as a mock would decode it. One that is meant to be valid and is not, or the other way round, is left out.
 */
export async function listCases(parts: CaseParts, operation: Operation, ids: KnownIds): Promise<readonly VerifyCase[]> {
  const drafts = draftValid(parts, operation, ids);
  const [minimal] = drafts;
  if (minimal === undefined) return [];
  // The mistakes of what is required come first; the full request has those of the rest.
  const full = drafts.at(-1) ?? minimal;
  const mistakes = [minimal, full].flatMap(([, draft]) => breakRequest(parts.contract, draft));
  const wrong = new Map(mistakes.toReversed().map(({ mistake, draft }) => [mistake, draft]));
  const valid = drafts.map(([name, draft]) => toCase(draft, name, 'success'));
  const invalid = [
    ...[...wrong].toReversed().map(([name, draft]) => toCase(draft, name, 'refused')),
    ...listMalformed(minimal[1]),
  ];
  const checked = await Promise.all([...valid, ...invalid].map((each) => check(parts, each)));
  const isPublic = operation.security.length === 0 || operation.security.some((each) => Object.keys(each).length === 0);
  const bare = { ...minimal[1], credentials: { headers: {}, query: {} } };
  const unauthorized = isPublic ? [] : [toCase(bare, BARE, 'unauthorized')];
  const [first, ...rest] = checked.flatMap((each) => each ?? []);
  return first === undefined ? [] : [first, ...unauthorized, ...rest];
}

function toCase(draft: RequestDraft, name: string, wants: Expectation): VerifyCase {
  const made = [draft.query, draft.header, draft.cookie, draft.body?.value ?? {}];
  const hasMadeValues =
    !name.startsWith(EXAMPLE) && made.some((each) => !isObject(each) || Object.keys(each).length > 0);
  return { operation: draft.operation, name, wants, hasMadeValues, request: () => toRequest(draft) };
}

/** The start of the name of a case whose body is an example of the document. */
const EXAMPLE = 'example ';

/** The case, with its mistake; undefined if the document does not say what is expected of it. */
async function check(parts: CaseParts, each: VerifyCase): Promise<VerifyCase | undefined> {
  const read = await readSent(parts, each.request());
  if (read?.call.operation.id !== each.operation.id) return undefined;
  const { mistake } = read;
  if (each.wants === 'refused') return mistake === undefined ? undefined : { ...each, mistake };
  return mistake === undefined ? each : undefined;
}

/** A request as a mock takes it, and its mistake besides its credentials, which are those of the user; undefined if no operation has it. */
export async function readSent(
  { router, decoder }: CallParts,
  request: Request,
): Promise<{ readonly call: Call; readonly mistake: Violation | undefined } | undefined> {
  const match = matchRequest(request, router);
  if (match.kind !== 'operation') return undefined;
  const { operation, pathText, isFormOfGet } = match;
  const call = await decoder.decode({ operation, pathText, isFormOfGet, request });
  return { call, mistake: listErrors(call.violations).find(({ code }) => !code.startsWith('CREDENTIAL_')) };
}

type NamedDraft = readonly [name: string, draft: RequestDraft];

function draftValid(parts: CaseParts, operation: Operation, ids: KnownIds): readonly NamedDraft[] {
  const { contract, generator } = parts;
  const full = withIds(draftRequest(contract, generator, operation), ids);
  const { body } = full;
  if (body?.media.schema === undefined) return [['minimal', full]];
  const context = { seed: 1, key: `minimal ${operation.id}`, direction: 'request' as const, now: Date.now() };
  const least = generator.complete(body.media.schemaPointer, isObject(body.value) ? {} : body.value, context);
  const withBody = (value: unknown): RequestDraft => withIds({ ...full, body: { ...body, value } }, ids);
  const examples = body.media.examples.flatMap(({ name, value }): readonly NamedDraft[] =>
    value === undefined ? [] : [[EXAMPLE + name, withBody(value)]],
  );
  return [['minimal', withBody(least)], ...examples, ['full', full]];
}

/** A draft with the ids of items that exist. */
function withIds(draft: RequestDraft, ids: KnownIds): RequestDraft {
  const known = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, ids[name] ?? value]));
  return { ...draft, path: known(draft.path) };
}

/** A body that is not JSON, and one of another media type. */
function listMalformed(draft: RequestDraft): readonly VerifyCase[] {
  const { body, operation } = draft;
  if (body === undefined || !isJsonType(body.media.type) || operation.method === 'DELETE') return [];
  const send = (type: string, text: string) => (): Request => {
    const { url, method, headers } = toRequest({ ...draft, body: undefined });
    const own = new host.Headers(headers);
    own.set('content-type', type);
    return new host.Request(url, { method, headers: own, body: text });
  };
  return [
    { ...toCase(draft, NOT_JSON, 'refused'), request: send(body.media.type, '{"a":') },
    {
      ...toCase(draft, OTHER_TYPE, 'refused'),
      request: send('text/x-unknown', JSON.stringify(body.value)),
    },
  ];
}

/** The names of the parameters of a path that need the id of an item. */
export function listPathParameters({ parameters }: Operation): readonly string[] {
  return parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name);
}

/** The draft of a valid request with some of its parts replaced. */
export function draftWith(
  { contract, generator }: { readonly contract: Contract; readonly generator: Generator },
  operation: Operation,
  change: Partial<Pick<RequestDraft, 'body' | 'path' | 'query'>> & {
    readonly header?: Readonly<Record<string, string>>;
  },
): RequestDraft {
  const draft = draftRequest(contract, generator, operation);
  return {
    ...draft,
    ...(change.body !== undefined && { body: change.body }),
    path: { ...draft.path, ...change.path },
    query: { ...draft.query, ...change.query },
    header: { ...draft.header, ...change.header },
  };
}
