import { type ErrorCondition } from '../conventions/error-conditions.js';
import { createHash } from 'node:crypto';
import type { Contract } from '../contract/contract.js';
import { isObject } from '../base/json.js';
import type { Operation } from '../contract/operations/operation.js';
import { toPointer } from '../contract/pointer.js';
import { joinWords, suggest } from '../base/errors.js';
import { memoize } from '../base/memoize.js';
import {
  type BodyFacts,
  ERROR_CONDITIONS,
  readCondition,
  toGeneralCondition,
} from '../http/response/error-conditions.js';
import { evaluate, parseExpression } from '../http/request/expression.js';
import { readStatusTitle } from '../http/response/problem.js';
import type { DocumentHint, ErrorTemplateHint, OperationHint } from '../resources/infer/hint-grammar.js';
import { toHintError, toHintPointer } from '../resources/infer/hints.js';
import { toEntryFacts } from './error-body.js';

/** A template of `x-mock.errors`. */
export interface ErrorTemplate extends ErrorTemplateHint {
  /** The pointer of the template in the document. */
  readonly pointer: string;
}

/** The templates of a document. */
export interface ErrorTemplates {
  /** The template for an error: of the operation, else of the document; the most exact one. */
  find(operation: Operation | undefined, condition: ErrorCondition, status: number): ErrorTemplate | undefined;
  /** Each template with the operations and statuses that it is for. @throws MockError `HINT_INVALID` for an unknown placeholder. */
  list(): Iterable<ErrorTemplateUse>;
}

/** One error that a template is for. */
export interface ErrorTemplateUse {
  readonly template: ErrorTemplate;
  readonly operation: Operation;
  readonly status: number;
  readonly condition: ErrorCondition;
}

/** The templates of the document, or of an operation, by key. */
type Templates = ReadonlyMap<string, ErrorTemplate>;

/**
 * Reads the templates of a document, whose hints were checked; templates of an operation are read when they are needed.
 *
 * @param withTemplates - The ids of the operations with templates.
 * @throws MockError `HINT_INVALID` for an unknown placeholder.
 */
export function readErrorTemplates(contract: Contract, withTemplates: readonly string[]): ErrorTemplates {
  // The grammar of hints has checked both.
  const document = (contract.document['x-mock'] ?? {}) as DocumentHint;
  const known = new Map<string, Templates>();
  const read = (hints: OperationHint['errors'], pointer: string): Templates => {
    const text = JSON.stringify(hints ?? {});
    const templates = known.get(text) ?? readTemplates(contract, hints, pointer);
    known.set(text, templates);
    return templates;
  };
  const ofDocument = read(document.errors, '/x-mock');
  const ids = new Set(withTemplates);
  const readOwnTemplates = memoize((operation: Operation): Templates | undefined => {
    const errors = ids.has(operation.id) ? readHint(operation)?.errors : undefined;
    return errors && read(errors, toHintPointer(contract, operation));
  });
  const find: ErrorTemplates['find'] = (operation, condition, status) => {
    const own = operation && readOwnTemplates(operation);
    if (own === undefined && ofDocument.size === 0) return undefined;
    const range = `${Math.floor(status / 100)}XX`;
    const keys = [condition, toGeneralCondition(condition), String(status), range, 'default'];
    const findIn = (templates: Templates | undefined): ErrorTemplate | undefined =>
      keys.map((key) => templates?.get(key)).find((template) => template !== undefined);
    return findIn(own) ?? findIn(ofDocument);
  };
  const list = function* (): Iterable<ErrorTemplateUse> {
    if (ids.size === 0 && ofDocument.size === 0) return;
    for (const operation of contract.operations) void readOwnTemplates(operation);
    const seen = new Set<string>();
    const listChanging = (templates: Templates | undefined): readonly ErrorTemplate[] =>
      [...(templates?.values() ?? [])].filter(({ status }) => status !== undefined);
    const changing = listChanging(ofDocument);
    for (const operation of contract.operations) {
      const own = readOwnTemplates(operation);
      for (const { status, content } of operation.responses) {
        // Many operations share their errors.
        const key = `${JSON.stringify(own && readHint(operation)?.errors)} ${status} ${JSON.stringify(content[0]?.schema)}`;
        if ((own ?? ofDocument).size === 0 || seen.has(key)) continue;
        seen.add(key);
        yield* listUses(status).flatMap((use): ErrorTemplateUse[] => {
          const template = find(operation, use.condition, use.status);
          return template === undefined ? [] : [{ ...use, operation, template }];
        });
      }
      for (const template of [...listChanging(own), ...changing]) {
        yield { status: template.status ?? 400, condition: 'invalid-request', operation, template };
      }
    }
  };
  return { find, list };
}

/** Whether an operation has templates of its own. */
export function hasErrorTemplates(operation: Operation): boolean {
  return readHint(operation)?.errors !== undefined;
}

function readHint({ extensions }: Operation): OperationHint | undefined {
  // The grammar of hints has checked it, or will.
  const hint = extensions['x-mock'] as OperationHint | false | undefined;
  return hint === false ? undefined : hint;
}

/** The errors that a declared response is for; none if it is not one of errors. */
function listUses(declared: string): readonly Pick<ErrorTemplateUse, 'status' | 'condition'>[] {
  const isMeant = (status: number): boolean =>
    declared === 'default' || declared === String(status) || declared === `${Math.floor(status / 100)}XX`;
  return [400, 401, 402, 403, 404, 405, 406, 409, 412, 413, 415, 422, 429, 500]
    .concat(/^[45]\d\d$/.test(declared) ? Number(declared) : [])
    .filter(isMeant)
    .flatMap((status) => {
      const condition = readCondition({ status });
      const isGeneral = (one: ErrorCondition): boolean => toGeneralCondition(one) === condition;
      return ERROR_CONDITIONS.filter(isGeneral).map((one) => ({ status, condition: one }));
    });
}

function readTemplates(contract: Contract, hints: OperationHint['errors'], at: string): Templates {
  const entries = Object.entries(hints ?? {}).map(([key, hint]) => {
    const pointer = at + toPointer('errors', key);
    checkPlaceholders(contract, hint.body, `${pointer}/body`);
    return [key, { ...hint, pointer }] as const;
  });
  return new Map(entries);
}

/** A placeholder: a name, or a runtime expression of the request such as `{$request.path.id}`. */
const PLACEHOLDER = /\{([\w-]+|\$request\.[^{}]+)\}/g;

/** The values of placeholders, by name. */
const PLACEHOLDERS: Readonly<Record<string, (facts: BodyFacts) => string | number | undefined>> = {
  message: ({ message }) => message,
  code: ({ code }) => code,
  param: ({ param }) => param,
  status: ({ status }) => status,
  title: ({ status }) => readStatusTitle(status),
  requestId: ({ message, code, status }) =>
    `req_${createHash('sha256').update(`${status} ${code} ${message}`).digest('hex').slice(0, 24)}`,
};

function checkPlaceholders(contract: Contract, value: unknown, pointer: string): void {
  if (typeof value === 'string') {
    const isKnown = (name: string): boolean =>
      name.startsWith('$') ? parseExpression(name) !== undefined : Object.hasOwn(PLACEHOLDERS, name);
    const wrong = [...value.matchAll(PLACEHOLDER)].find(([, name = '']) => !isKnown(name))?.[1];
    if (wrong === undefined) return;
    const names = Object.keys(PLACEHOLDERS);
    const hint = suggest(wrong, names) ?? `placeholders: ${joinWords(names.map((name) => `{${name}}`))}`;
    throw toHintError(contract, pointer, { message: `there is no placeholder {${wrong}}`, hint });
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, one] of Object.entries(value)) checkPlaceholders(contract, one, pointer + toPointer(name));
}

/**
 * The body of a template with its placeholders replaced; a member whose placeholder has no value is left out.
 *
 * An array of one element with placeholders gets one element for each violation.
 *
 * @param writeNumber - How a string writes a number that is all of it.
 */
export function fillTemplate(body: unknown, facts: BodyFacts, writeNumber: (value: number) => unknown): unknown {
  if (typeof body === 'string') return fillText(body, facts, writeNumber);
  const fill = (value: unknown): unknown => fillTemplate(value, facts, writeNumber);
  if (Array.isArray(body)) {
    const [only, ...others]: readonly unknown[] = body;
    const { violations = [] } = facts;
    const isRepeated =
      others.length === 0 && violations.length > 0 && JSON.stringify(only ?? '').search(PLACEHOLDER) >= 0;
    const filled = isRepeated
      ? violations.map((violation) => fillTemplate(only, toEntryFacts(facts, violation), writeNumber))
      : body.map(fill);
    return filled.filter((value) => value !== undefined);
  }
  if (!isObject(body)) return body;
  const members = Object.entries(body).map(([name, value]) => [name, fill(value)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function fillText(text: string, facts: BodyFacts, writeNumber: (value: number) => unknown): unknown {
  const [all, whole] = PLACEHOLDER_ONLY.exec(text) ?? [];
  if (all === undefined || whole === undefined)
    return text.replaceAll(PLACEHOLDER, (_, name: string) => toText(readPlaceholder(name, facts)));
  const value = readPlaceholder(whole, facts);
  return typeof value === 'number' ? writeNumber(value) : value;
}

const PLACEHOLDER_ONLY = new RegExp(`^${PLACEHOLDER.source}$`);

function readPlaceholder(name: string, facts: BodyFacts): unknown {
  if (!name.startsWith('$')) return PLACEHOLDERS[name]?.(facts);
  const expression = parseExpression(name);
  if (expression === undefined || facts.call === undefined) return undefined;
  const value = evaluate(expression, { call: facts.call, vars: {} });
  return facts.escape !== undefined && typeof value === 'string' ? facts.escape(value) : value;
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
