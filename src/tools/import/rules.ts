import type { Contract } from '../../contract/contract.js';
import { filterMembers, isObject, mapScalars, mapValues } from '../../base/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import { findResponse } from '../../contract/operations/responses.js';
import { type HeaderFields, readContentType } from '../../http/header-fields.js';
import { findMedia, isJsonType, toEssence } from '../../contract/media-type.js';
import { writeCanonical } from '../../features/recording/cassette/canonical.js';
import type { ScenarioContext } from '../../features/scenario/definition/kinds.js';
import { findExpressions } from '../../http/request/expression.js';
import { findScenarioMistake } from '../../features/scenario/scenarios.js';
import type { Break } from './check.js';
import type { CheckAnswer } from '../../features/recording/drift/answer-check.js';
import { isMatcher } from './conditions.js';
import { findTargets, listOpenSegments, type StubTarget } from './operations.js';
import { ANY_REQUEST, type Remark, type Stub, type StubAnswer } from './stub.js';

interface RuleParts {
  readonly contract: Contract;
  readonly context: ScenarioContext;
  readonly check: CheckAnswer;
  /** How messages name the old mock. */
  readonly tool: string;
  /** A path that the old mock adds to every path, and the document may not have. */
  readonly prefix: string;
}

/** The scenario of an old mock, and what is to be said about its stubs. */
interface ImportedRules {
  /** Undefined without rules. */
  readonly scenario: Readonly<Record<string, unknown>> | undefined;
  /** The number of stubs with a rule; one that is read as several counts once. */
  readonly count: number;
  readonly breaks: readonly Break[];
  readonly remarks: readonly Remark[];
}

type Rule = Readonly<Record<string, unknown>>;

/** Makes a scenario of stubs: a rule for each operation that a stub answers. */
export function toRules(stubs: readonly Stub[], parts: RuleParts): ImportedRules {
  const rules = new Map<string, Rule[]>();
  const breaks: Break[] = [];
  const remarks: Remark[] = [];
  const vars = listVariables(stubs);
  const carried = new Set<string>();
  for (const stub of stubs) {
    const targets = findTargets(parts.contract, stub, parts.prefix);
    if (targets.length === 0) breaks.push(toUnknown(stub, parts.contract));
    for (const segment of listOpenSegments(stub.path)) {
      const why = `${segment} of its path is read as one segment: other paths are not answered`;
      remarks.push({ at: stub.at, what: stub.name, why });
    }
    for (const target of targets) {
      const { rule, violations } = toRule(stub, target, parts);
      const { id } = target.operation;
      const about = { at: stub.at, stub: stub.name, operation: id };
      breaks.push(
        ...violations.map(({ code, in: place, pointer, message }) => ({ ...about, code, in: place, pointer, message })),
      );
      const own = rules.get(id) ?? [];
      const accepted = findLiteral(stub) ?? acceptRule(rule, { id, vars, parts });
      const remark = { at: stub.at, what: stub.name };
      if (typeof accepted === 'string') remarks.push({ ...remark, why: accepted });
      else if (own.some(answersAll)) {
        remarks.push({ ...remark, why: 'another stub answers every request before it', hint: 'remove one of the two' });
      } else {
        rules.set(id, [...own, accepted]);
        carried.add(stub.at);
      }
    }
  }
  const operations = Object.fromEntries(rules);
  const description = `Imported from ${parts.tool}: its answers, and nothing else.`;
  const hasVariables = Object.keys(vars).length > 0;
  const scenario = rules.size === 0 ? undefined : { description, ...(hasVariables && { vars }), operations };
  return { scenario, count: carried.size, breaks, remarks };
}

/** The variables of the stubs with their first values. */
function listVariables(stubs: readonly Stub[]): Readonly<Record<string, unknown>> {
  const names = stubs.flatMap(({ needs = {}, sets = {} }) => [...Object.keys(needs), ...Object.keys(sets)]);
  return Object.fromEntries(names.map((name) => [name, 'Started']));
}

function toUnknown({ at, name, method = 'ANY', path }: Stub, contract: Contract): Break {
  const isKnown = findTargets(contract, { ...ANY_REQUEST, at, name, path, answers: [] }, '').length > 0;
  const code = isKnown ? 'METHOD_UNKNOWN' : 'PATH_UNKNOWN';
  const message = isKnown
    ? `the path ${path.text} is in the contract, but not with ${method}`
    : `no operation in the contract has the path ${path.text}`;
  return { at, stub: name, code, in: isKnown ? 'method' : 'path', pointer: '', message };
}

type Violations = ReturnType<CheckAnswer>;

function toRule(
  stub: Stub,
  target: StubTarget,
  parts: RuleParts,
): { readonly rule: Rule; readonly violations: Violations } {
  const { operation } = target;
  const when = toWhen(stub, target, parts);
  const answers = stub.answers.map((answer) => toRespond(answer, operation, parts));
  const [first] = answers;
  const isSequence = answers.length > 1;
  const faults = stub.answers.map(({ fault }) => fault);
  const steps = answers.map(({ respond }, i) => ({ ...respond, ...(faults[i] !== undefined && { fault: faults[i] }) }));
  const effect = isSequence
    ? { sequence: steps, ...(stub.isCycle === true && { onEnd: 'cycle' }) }
    : {
        ...(first?.respond !== undefined && { respond: first.respond }),
        ...(faults[0] !== undefined && { fault: faults[0] }),
      };
  const reason = answers.find((each) => each.reason !== undefined)?.reason;
  const rule = {
    ...(Object.keys(when).length > 0 && { when }),
    ...effect,
    ...(stub.probability !== undefined && { probability: stub.probability }),
    ...(stub.delay !== undefined && { delay: stub.delay }),
    // oxlint-disable-next-line unicorn/no-thenable -- a key of a rule
    ...(stub.sets !== undefined && { then: { vars: stub.sets } }),
    ...(reason !== undefined && { violates: `as in ${parts.tool}: ${reason}` }),
  };
  return {
    rule: renameParameters(rule, target.names) as Rule,
    violations: answers.flatMap(({ violations }) => violations),
  };
}

/** The conditions of a rule; those without members are left out. */
function toWhen(stub: Stub, { operation, path, names }: StubTarget, { context }: RuleParts): Rule {
  const declared = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const others = stub.isQueryExact ? declared.filter((name) => !Object.hasOwn(stub.query, name)) : [];
  const parameters = Object.entries(stub.parameters).map(([name, value]) => [names.get(name) ?? name, value] as const);
  const conditions = {
    path: { ...path, ...Object.fromEntries(parameters) },
    query: { ...stub.query, ...Object.fromEntries(others.map((name) => [name, null])) },
    header: stub.header,
    cookie: stub.cookie,
    ...(stub.body !== undefined && { body: stub.isBodyExact ? toExactBody(stub.body, operation, context) : stub.body }),
    ...(stub.call !== undefined && { call: stub.call }),
    ...(stub.needs !== undefined && { state: { vars: stub.needs } }),
  };
  return Object.fromEntries(
    Object.entries(conditions).filter(([, value]) => !isObject(value) || Object.keys(value).length > 0),
  );
}

/** A condition for a body whose objects have no other declared properties. */
function toExactBody(body: unknown, operation: Operation, context: ScenarioContext): unknown {
  const media = operation.body?.content.filter(({ schema }) => schema !== undefined) ?? [];
  const pointers = media.map(({ schemaPointer }) => schemaPointer);
  return toExact(body, pointers, context);
}

function toExact(value: unknown, pointers: readonly string[], context: ScenarioContext): unknown {
  const { members, elements } = context.fieldsOf(pointers);
  if (Array.isArray(value)) return value.map((item) => toExact(item, elements, context));
  if (!isObject(value) || isMatcher(value)) return value;
  const own = mapValues(value, (member, name) => toExact(member, members.get(name) ?? [], context));
  const others = [...members.keys()].filter((name) => !Object.hasOwn(value, name));
  return { ...own, ...Object.fromEntries(others.map((name) => [name, { present: false }])) };
}

/** Expressions with the names that the operation gives its path parameters. */
function renameParameters(value: unknown, names: ReadonlyMap<string, string>): unknown {
  const rename = (_: string, name: string): string => `$request.path.${names.get(name) ?? name}`;
  return mapScalars(value, (text) =>
    typeof text === 'string' ? text.replaceAll(/\$request\.path\.([^}\s]+)/g, rename) : text,
  );
}

interface Responded {
  readonly respond: Rule | undefined;
  /** Why the rule needs `violates`; undefined if it does not. */
  readonly reason: string | undefined;
  readonly violations: Violations;
}

// Headers that the mock writes itself (`content-type` is `mediaType`), or that belong to the connection.
const OWN_HEADERS =
  /^(?:content-type|content-length|transfer-encoding|connection|keep-alive|upgrade|date|content-encoding|access-control-.*)$/;

function toRespond(answer: StubAnswer, operation: Operation, { context, check }: RuleParts): Responded {
  const { status, headers, body, isTemplate, isPartial = false, fault } = answer;
  // A connection that fails has no answer.
  if (fault !== undefined && body.kind === 'none') return { respond: undefined, reason: undefined, violations: [] };
  const value = body.kind === 'json' ? body.value : body.kind === 'text' ? body.text : undefined;
  const type = readContentType(headers) ?? (body.kind === 'json' ? 'application/json' : undefined);
  const checked = { ...headers, ...(type !== undefined && body.kind !== 'none' && { 'content-type': type }) };
  const isOpen = isTemplate || body.kind === 'generated';
  const found = check(operation, { status, headers: checked, body: value, isGenerated: body.kind === 'generated' });
  // The values of expressions are not known yet.
  const violations = isOpen ? found.filter((violation) => violation.in !== 'body') : found;
  const declared = findResponse(operation, status);
  const media = type === undefined ? undefined : findMedia(declared?.content ?? [], type);
  const isJson = media?.schema !== undefined && type !== undefined && isJsonType(type) && value !== undefined;
  const isAdded = (pointer: string): boolean =>
    status >= 400 || (!isOpen && writeCanonical(context.complete(pointer, value)) !== writeCanonical(value));
  const isInexact = isJson && !isPartial && isAdded(media.schemaPointer);
  const reason = violations[0]?.message ?? (isInexact ? 'nothing is added to the body' : undefined);
  const isEmpty = body.kind === 'none' && reason !== undefined && status !== 204 && status !== 304;
  const isUsual =
    declared?.content.length === 1 && toEssence(declared.content[0]?.type ?? '') === toEssence(type ?? '');
  const mediaType = isEmpty
    ? (type ?? 'text/plain')
    : body.kind === 'none' || (isUsual && reason === undefined)
      ? undefined
      : type;
  const kept = keepHeaders(headers);
  const respond = {
    status,
    ...(mediaType !== undefined && { mediaType }),
    ...(Object.keys(kept).length > 0 && { headers: kept }),
    ...(isEmpty ? { body: '' } : value !== undefined && { body: value }),
  };
  return { respond, reason, violations };
}

function keepHeaders(headers: HeaderFields): HeaderFields {
  return filterMembers(headers, (name) => !OWN_HEADERS.test(name));
}

/** Why an answer cannot be written: scenario files would read a part of it as an expression. */
function findLiteral({ answers }: Stub): string | undefined {
  const [found] = answers.flatMap(({ body, isTemplate }) => {
    if (isTemplate || body.kind === 'none' || body.kind === 'generated') return [];
    return findExpressions(body.kind === 'json' ? body.value : body.text);
  });
  return found && `scenario files read ${JSON.stringify(found.text)} in the body as an expression`;
}

/** The rule as the grammar of scenarios accepts it, or why it does not. */
function acceptRule(
  rule: Rule,
  { id, vars, parts }: { readonly id: string; readonly vars: Rule; readonly parts: RuleParts },
): Rule | string {
  const findMistake = (each: Rule): string | undefined =>
    findScenarioMistake({ imported: { vars, operations: { [id]: [each] } } }, parts.context);
  const mistake = findMistake(rule);
  if (mistake === undefined) return rule;
  // A rule that says why it violates the contract may have more than the contract declares.
  const allowed = { ...rule, violates: rule['violates'] ?? `as in ${parts.tool}: ${mistake}` };
  return findMistake(allowed) ?? allowed;
}

function answersAll(rule: Rule): boolean {
  return rule['when'] === undefined && rule['probability'] === undefined;
}
