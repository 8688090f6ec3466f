import { filterMembers, isObject, mapValues } from '../../base/json.js';
import { isJsonType } from '../../contract/media-type.js';
import type { Operation } from '../../contract/operations/operation.js';
import { draftRequest, type RequestDraft, toRequest } from '../../features/inspector/sample-request.js';
import { createScenarioContext } from '../../features/scenario/definition/kinds.js';
import { loadScenarios } from '../../features/scenario/definition/load.js';
import { findCallMismatch } from '../../features/scenario/rules/evaluate.js';
import type { Matcher } from '../../features/scenario/rules/matcher.js';
import type { Rule, When } from '../../features/scenario/rules/rule.js';
import { type GivenRequest, type KnownIds, listPathParameters, readSent } from './cases.js';
import type { VerifyContext } from './context.js';

/** Reads the requests that the rules of scenarios say with values; other matchers say none. @throws MockError `SCENARIO_INVALID`, `SCENARIO_UNREADABLE`. */
export function readScenarioRequests(folder: string, context: VerifyContext): readonly GivenRequest[] {
  const collections = context.resources.collections.values();
  const scenarios = loadScenarios(folder, createScenarioContext({ ...context, collections }));
  // Scenarios that extend others have their rules as well.
  const own = scenarios.flatMap(({ rules }) => rules.filter(({ key }) => !key.includes(' < ')));
  return own.flatMap((rule) => toGiven(rule, context) ?? []);
}

function toGiven(rule: Rule, context: VerifyContext): GivenRequest | undefined {
  const { when, target, key, respond } = rule;
  const operation = context.contract.operation(target);
  if (when === undefined || operation === undefined || !saysRequest(when)) return undefined;
  return {
    operation,
    toCase: async (ids) => {
      const draft = toDraft(context, operation, { when, ids });
      if (draft === undefined) return undefined;
      const read = await readSent(context, toRequest(draft));
      if (read?.call.operation.id !== operation.id || findCallMismatch(when, read.call) !== undefined) return undefined;
      const { mistake, call } = read;
      const isRefused = (respond?.status ?? 200) >= 400;
      const wants = mistake !== undefined ? 'refused' : isRefused ? 'any' : 'success';
      const request = (): Request => toRequest(draft);
      return { operation, name: `scenario ${key}`, wants, request, mistake, hasMadeValues: true, path: call.path };
    },
  };
}

const PLACES = ['path', 'query', 'header', 'cookie'] as const;

function saysRequest(when: When): boolean {
  return when.body !== undefined || PLACES.some((place) => Object.keys(when[place]).length > 0);
}

/** The smallest valid request with the values of a rule; undefined if an id in its path is not known. */
function toDraft(
  context: VerifyContext,
  operation: Operation,
  { when, ids }: { readonly when: When; readonly ids: KnownIds },
): RequestDraft | undefined {
  if (listPathParameters(operation).some((name) => !(name in ids) && !(name in when.path))) return undefined;
  const draft = draftRequest(context.contract, context.generator, operation);
  const { body = pickBody(operation) } = draft;
  const readPlace = (place: (typeof PLACES)[number]): Readonly<Record<string, unknown>> => {
    // Of a parameter, null says that it is absent.
    const said = mapValues(when[place], ({ written }) => (written === null ? undefined : toValue(written)));
    const values = { ...draft[place], ...(place === 'path' && ids), ...said };
    return filterMembers(values, (name) => values[name] !== undefined);
  };
  const places = Object.fromEntries(PLACES.map((place) => [place, readPlace(place)]));
  return { ...draft, ...places, ...(body && when.body && { body: completeBody(context, body, when.body) }) };
}

type DraftBody = NonNullable<RequestDraft['body']>;

/** A body that is not required. */
function pickBody({ body }: Operation): DraftBody | undefined {
  const media = body?.content.find(({ type }) => isJsonType(type)) ?? body?.content[0];
  return media && { media, value: undefined };
}

function completeBody({ generator }: VerifyContext, { media }: DraftBody, { written }: Matcher): DraftBody {
  const value = toValue(written);
  if (!isObject(value)) return { media, value };
  const own = { seed: 1, key: `scenario ${media.schemaPointer}`, direction: 'request', now: Date.now() } as const;
  return { media, value: generator.complete(media.schemaPointer, value, own) };
}

/** The value that a condition says. One that says none is found because the request with it does not match. */
function toValue(written: unknown): unknown {
  if (!isObject(written)) return written;
  if ('equals' in written) return written['equals'];
  const { oneOf } = written;
  return Array.isArray(oneOf) ? toValue(oneOf[0]) : mapValues(written, toValue);
}
