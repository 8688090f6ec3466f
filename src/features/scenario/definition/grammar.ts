import { closedObject } from '../../../base/json-schema.js';
import { isObject } from '../../../base/json.js';
import {
  child,
  createPositionReader,
  readMembers,
  reject,
  report,
  type SourceNode,
} from '../../../contract/load/source-node.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { suggest } from '../../../base/errors.js';
import type { Changes, OnEnd, Rule } from '../rules/rule.js';
import { CHANGES, COLLECTION_CHANGE, VARIABLES } from './changes.js';
import { MATCHER } from './conditions.js';
import { DELAY } from './delay.js';
import { FAULT_KIND, isRateLimit } from './faults.js';
import {
  type CheckContext,
  integer,
  type Kind,
  list,
  object,
  type ObjectKind,
  oneOrMany,
  optional,
  TEXT_KIND,
  word,
} from './kinds.js';
import { EVENT_KIND, PATCH_KIND, RESPOND, STEP_KIND, STEP_OR_ENGINE } from './respond.js';
import { COLLECTION_CONDITION, WHEN_KIND } from './when.js';

/** A number from 0 to 1. */
const PROBABILITY: Kind<number> = {
  type: 'number',
  read: (node) => {
    const { value } = node;
    if (typeof value === 'number' && value >= 0 && value <= 1) return value;
    const isPercent = typeof value === 'number' && value > 1 && value <= 100;
    return reject(node, 'must be a number from 0 to 1', isPercent ? `did you mean ${value / 100}?` : undefined);
  },
  schema: () => ({ type: 'number', minimum: 0, maximum: 1 }),
};

/** The members of a rule that a scenario writes. */
type RuleFields = Omit<Rule, 'key' | 'scenario' | 'target' | 'readPosition'>;

const RULE: ObjectKind<RuleFields> = object({
  label: 'a rule',
  type: 'RuleDefinition',
  share: 'rule',
  fields: {
    when: optional(WHEN_KIND, 'What a call must be like; every part must match.'),
    respond: optional(RESPOND, 'The answer.'),
    patch: optional(PATCH_KIND, 'A change of the answer that the mock gives without the rule.'),
    sequence: optional(
      list(STEP_OR_ENGINE, 1),
      'One answer per call; `engine` is what the mock answers without the rule.',
    ),
    onEnd: optional(
      word<OnEnd>(['hold', 'cycle', 'fallthrough', 'error']),
      'After the last step of the sequence: `hold` it (default), `cycle`, `fallthrough` to other rules, or answer an `error` (500).',
      'hold',
    ),
    fault: optional(FAULT_KIND, 'What fails on the connection; together with `respond`, that answer fails.'),
    delay: optional(DELAY, 'How long to wait before the answer.'),
    times: optional(integer(1), 'How many calls the rule applies to, counted per session.'),
    probability: optional(PROBABILITY, 'The share of calls it applies to, from 0 to 1; the seed decides which.'),
    // oxlint-disable-next-line unicorn/no-thenable -- a key of a rule
    then: optional(CHANGES, 'Changes of collections and variables, made before the answer.'),
    violates: optional(TEXT_KIND, 'Why the rule breaks the contract on purpose; the journal shows it.'),
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
  schema: (context) =>
    closedObject(
      { '*': RULES.schema(context), ...context.operations },
      { patternProperties: { '^[A-Za-z]+ +/': RULES.schema(context) } },
    ),
};

/** Finds the operation of a key: an operationId, `"GET /path"`, or `"*"` for all of them. */
function findOperations(node: SourceNode, key: string, context: CheckContext): readonly Operation[] | undefined {
  const { operations } = context.contract;
  if (key === '*') return operations;
  const [method = '', ...path] = key.trim().split(/\s+/);
  const route = `${method.toUpperCase()} ${path.join(' ')}`;
  const toRoute = (operation: Operation): string => `${operation.method} ${operation.path}`;
  const found = context.contract.operation(key) ?? operations.find((operation) => toRoute(operation) === route);
  if (found !== undefined) return [found];
  const names = operations.map((operation) => (/^\S+\s+\//.test(key) ? toRoute(operation) : operation.id));
  const hint = suggest(key, names) ?? `its operations are ${names.slice(0, MAX_NAMES).join(', ')}`;
  report(node, `operation ${JSON.stringify(key)} is not in the contract`, hint);
  return undefined;
}

/** More names would hide the message. */
const MAX_NAMES = 12;

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
    $schema: optional(TEXT_KIND, 'The JSON Schema that an editor uses.'),
    description: optional(TEXT_KIND, 'What a client of this scenario sees, in one sentence.'),
    extends: optional(
      oneOrMany(TEXT_KIND),
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
    ['The conditions of a rule.', WHEN_KIND],
    ['Conditions on one value; all of them must be true.', MATCHER],
    ['A condition on a collection.', COLLECTION_CONDITION],
    ['An answer.', RESPOND],
    ['One step of a sequence.', STEP_KIND, RESPOND],
    ['One event of a stream; one that has only a `delay` is a pause.', EVENT_KIND],
    ['A merge patch (RFC 7386) of the answer that the mock gives without the rule.', PATCH_KIND],
  ];
