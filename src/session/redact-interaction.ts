import type { Contract } from '../contract/contract.js';
import type { Operation } from '../contract/operations/operation.js';
import { readContentType } from '../http/header-fields.js';
import { findResponse } from '../contract/operations/responses.js';
import { findMedia } from '../http/media-type.js';
import {
  type Interaction,
  type PlainAnswer,
  type PlainRequest,
  type ToPlain,
  toPlainValue,
} from '../journal/interaction.js';
import { createSecretRules } from '../recording/redaction/secret-rules.js';
import {
  createSecretWalk,
  ORDINARY_LOCATION,
  readParameterPointers,
  type SecretWalk,
  type VisitText,
} from '../recording/redaction/secret-walk.js';
import { replacePatterns } from '../schema/secret-forms.js';
import type { Validators } from '../schema/validate.js';

const MARK = '[redacted]';

/** Shorter secrets are not searched for in messages: `1234` may be part of harmless text. */
const MIN_SEARCHED_LENGTH = 6;

/**
 * Redacts interactions by the same rules as recordings: credentials (their scheme stays), cookies, the keys of `securitySchemes`,
 * properties of `format: password` or `writeOnly`, and known names and forms of secrets.
 */
export function createInteractionRedactor(contract: Contract, validators: Validators): ToPlain {
  const rules = createSecretRules({});
  const walk = createSecretWalk(contract, validators, rules);
  return (interaction) => {
    const found = new Set<string>();
    const visit: VisitText = (text, place) => {
      if (text === '') return text;
      if (place.rule !== undefined) {
        if (text.length >= MIN_SEARCHED_LENGTH) found.add(text);
        // A number stays a number, so that the value keeps its type.
        return /^-?\d+(?:\.\d+)?$/.test(text) ? '0' : MARK;
      }
      return replacePatterns(text, rules.patterns, (secret) => {
        found.add(secret);
        return MARK;
      });
    };
    const operation = interaction.operation === undefined ? undefined : contract.operation(interaction.operation);
    const view: View = { walk, visit, operation };
    const request = showRequest(interaction, view);
    const answer = showAnswer(interaction, view);
    // Last, when every secret of the interaction is known: messages quote values of the request.
    const scrub = (text: string): string => {
      let clean = visit(text, ORDINARY_LOCATION);
      for (const secret of found) clean = clean.replaceAll(secret, MARK);
      return clean;
    };
    return {
      number: interaction.number,
      session: interaction.session,
      at: new Date(interaction.at).toISOString(),
      elapsedMs: Math.round(interaction.elapsedMs * 1000) / 1000,
      operation: interaction.operation ?? null,
      request: { ...request, url: scrub(request.url) },
      answer,
      violations: interaction.violations.map((violation) => ({ ...violation, message: scrub(violation.message) })),
      trace: interaction.trace.map(scrub),
    };
  };
}

interface View {
  readonly walk: SecretWalk;
  readonly visit: VisitText;
  readonly operation: Operation | undefined;
}

function showRequest({ request }: Interaction, view: View): PlainRequest {
  const { walk, visit, operation } = view;
  const headers = Object.entries(request.headers).map(([name, value]) => [name, walk.header(name, value, visit)]);
  const mediaType = readContentType(request.headers);
  const media = mediaType === undefined ? undefined : findMedia(operation?.body?.content ?? [], mediaType);
  const pointers = media?.schema === undefined ? [] : [media.schemaPointer];
  return {
    method: request.method,
    url: showUrl(request.url, view),
    path: showParameters('path', request.path, view),
    query: showParameters('query', request.query, view),
    headers: Object.fromEntries(headers),
    ...(request.body !== undefined && {
      body: walk.json(toPlainValue(request.body), { pointers, direction: 'request' }, visit),
    }),
  };
}

function showAnswer({ answer }: Interaction, { walk, visit, operation }: View): PlainAnswer {
  const { mediaType, violates, fault } = answer;
  const headers = Object.entries(answer.headers).map(([name, value]) => {
    const show = (field: string): string => walk.header(name, field, visit);
    return [name, typeof value === 'string' ? show(value) : value.map(show)] as const;
  });
  const declared = operation && findResponse(operation, answer.status);
  const media = mediaType === undefined ? undefined : findMedia(declared?.content ?? [], mediaType);
  const pointer = answer.schemaPointer ?? (media?.schema === undefined ? undefined : media.schemaPointer);
  const at = { pointers: pointer === undefined ? [] : [pointer], direction: 'response' } as const;
  return {
    status: answer.status,
    headers: Object.fromEntries(headers),
    ...(mediaType !== undefined && { mediaType }),
    ...(answer.body !== undefined && { body: walk.json(toPlainValue(answer.body), at, visit) }),
    from: answer.from,
    ...(violates !== undefined && { violates }),
    ...(fault !== undefined && { fault }),
  };
}

function showParameters(
  place: 'path' | 'query',
  values: Readonly<Record<string, unknown>>,
  { walk, visit, operation }: View,
): Readonly<Record<string, unknown>> {
  const show = (name: string, value: unknown): unknown => {
    const pointers = operation === undefined ? [] : readParameterPointers(operation, place, name);
    const at = { pointers, direction: 'request', path: operation?.path } as const;
    if (typeof value === 'string') return walk.named(name, value, { ...at, kind: place, visit });
    if (Array.isArray(value)) return value.map((item) => show(name, item));
    return walk.json(toPlainValue(value), at, visit);
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, show(name, value)]));
}

/** The query of a URL, with only the secret values replaced. */
function showUrl(url: string, { walk, visit, operation }: View): string {
  const start = url.indexOf('?');
  if (start === -1) return url;
  const showPair = (pair: string): string => {
    const equals = pair.indexOf('=');
    const [entry] = equals === -1 ? [] : [...new URLSearchParams(pair)];
    if (entry === undefined) return pair;
    const [name, value] = entry;
    const pointers = operation === undefined ? [] : readParameterPointers(operation, 'query', name);
    const shown = walk.named(name, value, { pointers, direction: 'request', path: url, kind: 'query', visit });
    return shown === value ? pair : `${pair.slice(0, equals)}=${shown}`;
  };
  const query = url
    .slice(start + 1)
    .split('&')
    .map(showPair);
  return `${url.slice(0, start)}?${query.join('&')}`;
}
