import { toDateTime } from '../../../base/clock.js';
import type { Contract } from '../../../contract/contract.js';
import { memoize, memoizeText } from '../../../base/memoize.js';
import { findResponse } from '../../../contract/operations/responses.js';
import { readTarget } from '../../../http/target.js';
import { decodePercent } from '../../../http/text.js';
import {
  type Interaction,
  type InteractionBytes,
  type InteractionRedactor,
  type InteractionTexts,
  type PlainAnswer,
  type PlainRequest,
  type ToPlain,
  toPlainValue,
} from '../../../journal/interaction.js';
import { toBody } from '../cassette/exchange.js';
import { type MessageVisit, readResponsePointers, visitForm, visitHeaders, visitRequest } from './redact-exchange.js';
import { createSecretRules } from './secret-rules.js';
import { createSecretWalk, ORDINARY_LOCATION, readBodyPointers, type VisitText } from './secret-walk.js';
import { hidePathSecrets, replacePatterns } from '../../../conventions/secret-forms.js';
import type { Validators } from '../../../schema/validate.js';
import { isBytes } from '../../../base/platform.js';

const MARK = '[redacted]';

/** Shorter secrets are not searched for in messages: `1234` may be part of harmless text. */
const MIN_SEARCHED_LENGTH = 6;

/**
 * Redacts interactions by the same rules as recordings: credentials (their scheme stays), cookies, the keys of `securitySchemes`,
 * properties of `format: password` or `writeOnly`, and known names and forms of secrets. Objects below the name of a secret are
 * redacted as a whole.
 */
export function createInteractionRedactor(contract: Contract, validators: Validators): InteractionRedactor {
  // Most mocks of tests show no interaction.
  const readTools = memoize(() => {
    const rules = createSecretRules({}, { hidesObjects: true });
    // Most requests repeat the texts of others.
    const isClean = memoizeText((text) => replacePatterns(text, rules.patterns, () => MARK) === text);
    return { walk: createSecretWalk(contract, validators, rules), patterns: rules.patterns, isClean };
  });
  const createView = (interaction: Interaction): View => {
    const { walk, patterns, isClean } = readTools(undefined);
    const found = new Set<string>();
    const hide = (secret: string): string => {
      found.add(secret);
      return MARK;
    };
    const visit: VisitText = (text, place) => {
      if (text === '') return text;
      if (place.rule === undefined) return isClean(text) ? text : replacePatterns(text, patterns, hide);
      if (text.length >= MIN_SEARCHED_LENGTH) found.add(text);
      // A number stays a number, so that the value keeps its type.
      return /^-?\d+(?:\.\d+)?$/.test(text) ? '0' : MARK;
    };
    const operation = interaction.operation === undefined ? undefined : contract.operation(interaction.operation);
    return { walk, visit, operation, found };
  };
  const toPlain: ToPlain = (interaction) => {
    const view = createView(interaction);
    const request = showRequest(interaction, view);
    const answer = showAnswer(interaction, view);
    return {
      number: interaction.number,
      session: interaction.session,
      at: toDateTime(interaction.at),
      elapsedMs: Math.round(interaction.elapsedMs * 1000) / 1000,
      operation: interaction.operation ?? null,
      request: { ...request, url: showUrl(interaction.request, view) },
      answer,
      ...showMessages(interaction, view),
    };
  };
  return {
    toPlain,
    toTexts: (interaction) => {
      const view = createView(interaction);
      const { request, violations, trace } = interaction;
      // Messages quote what the client sent: its secrets are found first.
      if (violations.length > 0 || trace.some((line) => line.includes('"'))) showRequest(interaction, view);
      return { url: showUrl(request, view), ...showMessages(interaction, view) };
    },
    toBytes: (interaction, limit) => showBytes(interaction, createView(interaction), limit),
  };
}

function showBytes(interaction: Interaction, view: View, limit: number): InteractionBytes {
  showRequest(interaction, view);
  const show = (name: 'answer' | 'request'): InteractionBytes => {
    const { body } = interaction[name];
    if (!isBytes(body)) return {};
    // In Latin-1 each byte is a character. More than is shown is read, because its end may be a part of a secret.
    const text = scrub(Buffer.from(body.subarray(0, limit * 2)).toString('latin1'), view);
    const hex = Buffer.from(text, 'latin1').subarray(0, limit).toString('hex');
    return { [name]: { size: body.byteLength, hex } };
  };
  return { ...show('request'), ...show('answer') };
}

interface View extends MessageVisit {
  /** The secrets that were found so far. */
  readonly found: Set<string>;
}

/** Texts that quote values of the request, when every secret of it is known. */
function showMessages({ violations, trace }: Interaction, view: View): Pick<InteractionTexts, 'trace' | 'violations'> {
  return {
    violations: violations.map((violation) => ({ ...violation, message: scrub(violation.message, view) })),
    trace: trace.map((line) => scrub(line, view)),
  };
}

function scrub(text: string, { visit, found }: View): string {
  let clean = visit(text, ORDINARY_LOCATION);
  for (const secret of found) if (clean.includes(secret)) clean = clean.replaceAll(secret, MARK);
  return clean;
}

function showRequest({ request }: Interaction, view: View): PlainRequest {
  const { method, url, path: pathParams, query, headers, body } = request;
  const given = { pathParams, query, headers, ...(body !== undefined && { body: toPlainValue(body) }) };
  const shown = visitRequest(given, readTarget(url).path, view);
  return { method, url, path: shown.pathParams, query: shown.query, headers: shown.headers, ...toBody(shown) };
}

function showAnswer({ answer }: Interaction, view: View): PlainAnswer {
  const { walk, visit, operation } = view;
  const { mediaType, violates, fault, schemaPointer, body } = answer;
  const declared = operation && findResponse(operation, answer.status);
  const pointers = schemaPointer === undefined ? readBodyPointers(declared?.content ?? [], mediaType) : [schemaPointer];
  const at = { pointers, direction: 'response' } as const;
  return {
    status: answer.status,
    headers: visitHeaders(answer.headers, readResponsePointers(declared), view),
    ...(mediaType !== undefined && { mediaType }),
    ...(body !== undefined && { body: walk.json(toPlainValue(body), at, visit) }),
    from: answer.from,
    ...(violates !== undefined && { violates }),
    ...(fault !== undefined && { fault }),
  };
}

/** A URL with only its secret values replaced. */
function showUrl({ url }: Interaction['request'], view: View): string {
  const { walk, visit, operation } = view;
  const show = (name: string, value: string): string =>
    String(walk.parameter(name, value, { kind: 'query', operation, path: url, visit }));
  const [path = '', ...query] = url.split(/(?<=^[^?]*)\?/);
  return scrub([showPath(path, view), ...query.map((text) => visitForm(text, show, String))].join('?'), view);
}

/** A path without the values of secret parameters. */
function showPath(path: string, { walk, visit, operation }: View): string {
  if (operation === undefined) return hidePathSecrets(path);
  const segments = path.split('/');
  const template = operation.path.split('/');
  // The path of a request can begin with a base path and a session.
  const offset = segments.length - template.length;
  const shown = segments.map((segment, i) => {
    const name = /^\{([^{}]+)\}$/.exec(template[i - offset] ?? '')?.[1];
    if (name === undefined) return segment;
    const text = decodePercent(segment) ?? segment;
    const clean = walk.parameter(name, text, { kind: 'path', operation, path, visit });
    return clean === text ? segment : String(clean);
  });
  return shown.join('/');
}
