import { type CollectionChanges, filterMembers, isObject } from '../../contract/json.js';
import { toEssence } from '../../contract/media-type.js';
import type { Operation } from '../../contract/operations/operation.js';
import { findResponse, findUsualResponse } from '../../contract/operations/responses.js';
import { joinWords } from '../../errors.js';
import type { Fault } from '../../http/answer.js';
import { findStreamMedia, isMarker, planItems } from '../../http/stream-items.js';
import type {
  Changes,
  CollectionCondition,
  OnEnd,
  Patch,
  Respond,
  Rule,
  ScriptedEvent,
  Step,
  When,
} from '../rules/rule.js';
import { checkRespond, findOperations, toPatchTarget } from './check-contract.js';
import { checkExpressions, checkPartial, checkParts, findNulls } from './check-value.js';
import { FAULT, isRateLimit } from './faults.js';
import {
  ANY,
  type CheckContext,
  checked,
  type Fields,
  FLAG,
  integer,
  type Kind,
  list,
  object,
  type ObjectKind,
  oneOrMany,
  optional,
  TEXT,
  word,
} from './kinds.js';
import { MATCHER } from './conditions.js';
import {
  BODY,
  byCollection,
  DELAY,
  HEADER_PATCH,
  HEADERS,
  ID,
  IDS,
  ITEM,
  KNOWN_VARIABLES,
  parameters,
  PROBABILITY,
  REMOVED,
  range,
  STATUS,
  UPDATED,
  VARIABLES,
} from './rule-kinds.js';
import {
  child,
  createPositionReader,
  readMembers,
  reject,
  report,
  type SourceNode,
} from '../../contract/load/source-node.js';

const MAX_GENERATED_ITEMS = 100_000;

const COLLECTION_CHANGE: ObjectKind<Omit<CollectionChanges, 'name'>> = object({
  label: 'a collection change',
  type: 'CollectionChange',
  fields: {
    clear: optional(FLAG, 'Removes every item before anything else.', false),
    generate: optional(integer(0, MAX_GENERATED_ITEMS), 'The number of items to generate from the schema.', 0),
    add: optional(
      list(ITEM),
      'Whole or partial items; missing fields are generated, `$parent` is the id of the parent item.',
      [],
    ),
    update: optional(
      UPDATED,
      'Merge patches (RFC 7386) by item id; an id can be an expression such as `$request.path.id`.',
      [],
    ),
    remove: optional(REMOVED, 'Ids of items to remove.', []),
  },
  // Expressions are in the items, patches and ids.
  check: (_change, node, context) => {
    for (const [, member] of readMembers(node)) checkExpressions(member, context);
  },
});

const COLLECTION_CONDITION: ObjectKind<CollectionCondition> = object({
  label: 'a collection condition',
  type: 'CollectionCondition',
  fields: {
    count: optional(range(0), 'How many items it has: `3`, `"2..4"`, `"3.."`, `"..3"`.'),
    has: optional(IDS, 'Ids of items that it has.', []),
    lacks: optional(IDS, 'Ids of items that it does not have.', []),
  },
});

/** The kind of `state` and `then`. */
const CHANGES: Kind<Changes> = byCollection('StateChange', COLLECTION_CHANGE, VARIABLES);

const WHEN: ObjectKind<When> = object({
  type: 'WhenDefinition',
  share: 'when',
  fields: {
    path: parameters('path', 'Path parameters'),
    query: parameters('query', 'Query parameters'),
    header: parameters('header', 'Headers'),
    cookie: parameters('cookie', 'Cookies'),
    body: optional(
      BODY,
      'A subset of the JSON body: objects may have more members, everything else is equal; any part can be a matcher.',
    ),
    call: optional(range(1), 'Which of the calls that match the rest: `3`, `"2..4"`, `"3.."`, `"..3"` or `"every 5"`.'),
    state: optional(
      byCollection('StateCondition', COLLECTION_CONDITION, KNOWN_VARIABLES),
      'Conditions on collections by name (`count`, `has`, `lacks`) and on `vars`.',
      { collections: [], vars: {} },
    ),
  },
});

const STEP_FAULT: Kind<Fault> = {
  ...FAULT,
  read: (node, context) => {
    const fault = FAULT.read(node, context);
    if (fault?.kind !== 'rate-limit') return fault;
    report(node, 'a rate limit cannot be a step of a sequence', 'make it a separate rule');
    return undefined;
  },
};

interface EventFields extends Pick<ScriptedEvent, 'delay'> {
  readonly event?: string;
  readonly id?: string | number;
  readonly retry?: number;
  readonly data?: unknown;
}

/** One event of a stream with its fields. */
const EVENT: ObjectKind<EventFields> = object({
  label: 'an event',
  type: 'EventDefinition',
  share: 'event',
  fields: {
    event: optional(TEXT, 'The type of a server-sent event.'),
    id: optional(ID, 'The id of a server-sent event.'),
    retry: optional(integer(0), 'After how many milliseconds the client of server-sent events connects again.'),
    data: optional(ANY, 'A JSON value, or a string that is sent as it is: `"[DONE]"`.'),
    delay: optional(DELAY, 'How long to wait before it.'),
  },
});

/** The data of an event or a line, or an event with its fields: an object of these alone, with `data` or `delay`. */
const EVENT_OR_DATA: Kind<ScriptedEvent> = {
  type: 'EventDefinition | Readonly<Record<string, unknown>> | readonly unknown[] | string | number | boolean | null',
  read: (node, context) => {
    if (!hasFields(node.value)) return { delay: undefined, data: node.value, fields: {}, isPause: false };
    const { delay, data, ...others } = EVENT.read(node, context) ?? {};
    const fields = filterMembers(others, (_, value) => value !== undefined);
    return { delay, data, fields, isPause: data === undefined && Object.keys(fields).length === 0 };
  },
  schema: (context) => ({ anyOf: [EVENT.schema(context), true] }),
};

function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isObject(value) || !('data' in value || 'delay' in value)) return false;
  return Object.keys(value).every((name) => Object.hasOwn(EVENT.fields, name));
}

/** Checks the events of an answer, against each operation of the rule unless it breaks the contract on purpose. */
function checkEvents(respond: Respond, node: SourceNode, context: CheckContext): void {
  if (respond.events === undefined) return;
  const list = child(node, 'events');
  if (respond.example !== undefined || respond.body !== undefined) {
    const other = respond.example === undefined ? 'body' : 'example';
    return report(list, `${node.label} has both events and ${other}`, 'keep one of the two');
  }
  checkExpressions(list, context);
  const before = node.source.mistakes.length;
  for (const operation of context.violates ? [] : context.operations) {
    if (node.source.mistakes.length === before) checkItems(list, respond, { ...context, operation });
  }
}

function checkItems(
  node: SourceNode,
  { events = [], status, mediaType }: Respond,
  { operation, ...context }: CheckContext & { readonly operation: Operation },
): void {
  const response = status === undefined ? findUsualResponse(operation) : findResponse(operation, status);
  const media = findStreamMedia(response?.content ?? [], mediaType);
  if (media === undefined) {
    const types = response?.content.map(({ type }) => type) ?? [];
    const known = types.length === 0 ? 'it has no body' : `it documents ${joinWords(types)}`;
    const hint = `${known}; to send a stream anyway, add violates: "why"`;
    return report(node, `${JSON.stringify(operation.id)} documents no stream`, hint);
  }
  const plan = planItems(context.contract, media, toEssence(media.type));
  if (plan === undefined) return;
  const pointers = [plan.schemaPointer];
  for (const [i, event] of events.entries()) {
    const item = child(node, i);
    const target = { context, pointers, direction: 'response', what: `event ${i + 1} of ${operation.id}` } as const;
    if (event.isPause || (plan.form !== 'event' && isMarker(event.data))) continue;
    const isWhole = plan.form === 'event' || (plan.form === 'value' && Object.keys(event.fields).length > 0);
    if (isWhole) checkPartial({ ...item, value: { ...event.fields, data: event.data } }, target);
    else if (event.data !== undefined) checkPartial(hasFields(item.value) ? child(item, 'data') : item, target);
  }
}

const RESPOND_FIELDS: Fields<Respond> = {
  status: optional(STATUS, 'A documented status; default: the status of the example, or the status of success.'),
  example: optional(TEXT, 'The name of an example of the contract.'),
  body: optional(ANY, 'The body; what it leaves out is completed from the schema.'),
  events: optional(
    list(EVENT_OR_DATA),
    'The items of a stream, sent one by one: data, or an event with its fields and the delay before it.',
  ),
  headers: optional(HEADERS, 'Headers of the answer.', {}),
  mediaType: optional(TEXT, 'A documented media type of the body.'),
};

function checkAnswer(respond: Respond, node: SourceNode, context: CheckContext): void {
  checkRespond(respond, node, context);
  checkEvents(respond, node, context);
}

const RESPOND: ObjectKind<Respond> = object({
  type: 'RespondDefinition',
  share: 'respond',
  fields: RESPOND_FIELDS,
  check: checkAnswer,
});

const STEP: ObjectKind<Exclude<Step, 'engine'>> = object<Exclude<Step, 'engine'>>({
  label: 'a step of "sequence"',
  type: 'StepDefinition',
  share: 'step',
  fields: { ...RESPOND_FIELDS, fault: optional(STEP_FAULT, 'A fault of this step.') },
  check: checkAnswer,
});

const STEP_OR_ENGINE: Kind<Step> = {
  type: "StepDefinition | 'engine'",
  read: (node, context) => {
    if (node.value === 'engine') return 'engine';
    if (!isObject(node.value)) return reject(node, 'must be an object or "engine"');
    return STEP.read(node, context);
  },
  schema: (context) => ({ anyOf: [{ const: 'engine' }, STEP.schema(context)] }),
};

const PATCH: ObjectKind<Omit<Patch, 'nulls'>> = object({
  type: 'PatchDefinition',
  share: 'patch',
  fields: {
    status: optional(STATUS, 'The new status.'),
    headers: optional(HEADER_PATCH, 'New headers; `null` removes one.', {}),
    body: optional(
      checked(ANY, checkExpressions),
      'A merge patch (RFC 7386) of the body; `null` removes a member, or is the value of a required one that can be null.',
    ),
  },
  hint: (name) => `to change the body write patch: { body: { ${name}: … } }`,
  check: (patch, node, context) => {
    const target = patch.body === undefined ? undefined : toPatchTarget(patch.status, context);
    if (target !== undefined) checkParts(child(node, 'body'), target);
  },
});

const PATCH_WITH_NULLS: Kind<Patch> = {
  ...PATCH,
  read: (node, context) => {
    const patch = PATCH.read(node, context);
    const target = patch === undefined ? undefined : toPatchTarget(patch.status, context);
    return patch && { ...patch, nulls: target === undefined ? [] : findNulls(patch.body, target) };
  },
};

/** What is written in a rule. */
type RuleFields = Omit<Rule, 'key' | 'scenario' | 'target' | 'readPosition'>;

const RULE: ObjectKind<RuleFields> = object({
  label: 'a rule',
  type: 'RuleDefinition',
  share: 'rule',
  fields: {
    when: optional(WHEN, 'What a call must be like; every part must match.'),
    respond: optional(RESPOND, 'The answer.'),
    patch: optional(PATCH_WITH_NULLS, 'A change of the answer that the mock gives without the rule.'),
    sequence: optional(
      list(STEP_OR_ENGINE, 1),
      'One answer per call; `engine` is what the mock answers without the rule.',
    ),
    onEnd: optional(
      word<OnEnd>(['hold', 'cycle', 'fallthrough', 'error']),
      'After the last step of the sequence: `hold` it (default), `cycle`, `fallthrough` to other rules, or answer an `error` (500).',
      'hold',
    ),
    fault: optional(FAULT, 'What fails on the connection; together with `respond`, that answer fails.'),
    delay: optional(DELAY, 'How long to wait before the answer.'),
    times: optional(integer(1), 'How many calls the rule applies to, counted per session.'),
    probability: optional(PROBABILITY, 'The share of calls it applies to, from 0 to 1; the seed decides which.'),
    // oxlint-disable-next-line unicorn/no-thenable -- a key of a rule
    then: optional(CHANGES, 'Changes of collections and variables, made before the answer.'),
    violates: optional(TEXT, 'Why the rule breaks the contract on purpose; the journal shows it.'),
  },
  check: checkRule,
});

const EFFECTS = ['respond', 'patch', 'sequence', 'fault'] as const;
const CONDITIONS: ReadonlySet<string> = new Set(['when', 'times', 'probability', 'violates']);

function checkRule(rule: RuleFields, node: SourceNode): void {
  const [first, second, third] = EFFECTS.filter((name) => child(node, name).value !== undefined);
  const isBrokenAnswer = first === 'respond' && second === 'fault' && third === undefined;
  if (second !== undefined && !isBrokenAnswer) {
    report(node, `a rule cannot have both ${first} and ${second}`, 'split it into two rules');
  }
  if (isBrokenAnswer && rule.fault?.kind === 'rate-limit') {
    report(child(node, 'fault'), 'a rate limit has an answer of its own', 'split it into two rules');
  }
  const onEnd = child(node, 'onEnd');
  if (onEnd.value !== undefined && first !== 'sequence') {
    report(onEnd, '"onEnd" needs a "sequence"', 'to limit how often a rule applies, write times: 2');
  }
  // A rule with an unknown key was meant to do something.
  if (isObject(node.value) && Object.keys(node.value).every((name) => CONDITIONS.has(name))) {
    report(node, 'this rule does nothing', 'add respond, patch, sequence, fault, delay or then');
  }
}

/** A rule of one source, before it belongs to a scenario; its name is its key and index in the file: `listKeys[0]`. */
export type RulePart = Omit<Rule, 'key' | 'scenario'> & { readonly name: string };

const RULES = oneOrMany(RULE);

const OPERATIONS: Kind<readonly RulePart[]> = {
  type: 'Readonly<Record<string, RuleDefinition | readonly RuleDefinition[]>>',
  read: (node, context) => {
    const rules: RulePart[] = [];
    for (const [key, member] of readMembers(node)) {
      const operations = findOperations(member, key, context);
      if (operations === undefined) continue;
      const target = key === '*' ? '*' : (operations[0]?.id ?? key);
      const items = Array.isArray(member.value) ? member.value.map((_, i) => child(member, i)) : [member];
      reportUnreachable(items);
      for (const [index, item] of items.entries()) {
        // A rule may break the contract if it says why.
        const reason = child(item, 'violates').value;
        const violates = typeof reason === 'string' && reason.trim() !== '';
        const rule = RULE.read(item, { ...context, operations, violates });
        const about = { target, name: `${key}[${index}]`, readPosition: createPositionReader(item) };
        if (rule !== undefined) rules.push({ ...about, ...rule });
      }
    }
    return rules;
  },
  schema: (context) => ({
    type: 'object',
    additionalProperties: false,
    properties: { '*': RULES.schema(context), ...context.operations },
    patternProperties: { '^[A-Za-z]+ +/': RULES.schema(context) },
  }),
};

/** Reports the rule after one that answers every call. */
function reportUnreachable(items: readonly SourceNode[]): void {
  const last = items.findIndex(({ value }) => isObject(value) && answersEveryCall(value));
  const hidden = items[last + 1];
  if (last === -1 || hidden === undefined) return;
  const hint = `rule ${last + 1} of this operation answers every call: give it "when" or "times", or move it to the end`;
  report(hidden, 'this rule is unreachable', hint);
}

function answersEveryCall(rule: Readonly<Record<string, unknown>>): boolean {
  const { respond, fault, sequence, onEnd } = rule;
  if (['when', 'times', 'probability'].some((name) => rule[name] !== undefined) || isRateLimit(fault)) return false;
  if (Array.isArray(sequence) && (sequence.includes('engine') || onEnd === 'fallthrough')) return false;
  return respond !== undefined || fault !== undefined || sequence !== undefined;
}

interface ScenarioFields {
  readonly $schema?: string;
  readonly description?: string;
  readonly extends: readonly string[];
  readonly state: Changes;
  readonly vars: Readonly<Record<string, unknown>>;
  readonly operations: readonly RulePart[];
}

/** A scenario file. */
export const SCENARIO: ObjectKind<ScenarioFields> = object({
  label: 'a scenario',
  type: 'ScenarioDefinition',
  fields: {
    $schema: optional(TEXT, 'The JSON Schema that an editor uses.'),
    description: optional(TEXT, 'What a client of this scenario sees, in one sentence.'),
    extends: optional(
      oneOrMany(TEXT),
      'Ids of scenarios it adds to: its rules come before theirs, its state after theirs.',
      [],
    ),
    state: optional(CHANGES, 'Changes of collections by name, made when the scenario is activated.', {
      collections: [],
      vars: {},
    }),
    vars: optional(VARIABLES, 'Initial values of variables.', {}),
    operations: optional(OPERATIONS, 'Rules by operationId, by `"GET /path"`, or by `"*"` for every operation.', []),
  },
});

/** Every object of a scenario file with a sentence about it; types and docs are written from this list. */
export const OBJECTS: readonly (readonly [description: string, kind: ObjectKind<object>, base?: ObjectKind<object>])[] =
  [
    ['A scenario: one file of plain data, whose name is its id.', SCENARIO],
    ['One change of a collection; its members are applied in this order.', COLLECTION_CHANGE],
    ['One rule of a scenario.', RULE],
    ['The conditions of a rule.', WHEN],
    ['Conditions on one value; all of them must be true.', MATCHER],
    ['A condition on a collection.', COLLECTION_CONDITION],
    ['An answer.', RESPOND],
    ['One step of a sequence.', STEP, RESPOND],
    ['One event of a stream; one that has only a `delay` is a pause.', EVENT],
    ['A merge patch (RFC 7386) of the answer that the mock gives without the rule.', PATCH],
  ];
