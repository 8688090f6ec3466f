import { isObject } from '../../contract/json.js';
import type { Reading } from '../ground.js';
import { type Delay, readDuration } from '../rules/delay.js';
import type { Effect, OnEnd, Rule, Step } from '../rules/rule.js';
import { readFault } from './read-fault.js';
import { readPatch, readRespond } from './read-respond.js';
import { readChanges } from './read-state.js';
import { readWhen } from './read-when.js';
import { describe, type Given, isRecord, member, readItems, readText, readWhole, readWord } from './read.js';

const RULE_KEYS = [
  'when',
  'respond',
  'patch',
  'sequence',
  'onEnd',
  'fault',
  'delay',
  'times',
  'probability',
  'then',
  'violates',
] as const;

const ON_END: readonly OnEnd[] = ['hold', 'cycle', 'fallthrough', 'error'];

/** A rule without what only its scenario knows. */
export type RuleBody = Omit<Rule, 'key' | 'scenario' | 'target'>;

/** One line of a scenario. */
export function readRule(given: Given, base: Omit<Reading, 'violates'>): RuleBody | undefined {
  if (!isRecord(given, 'a rule', RULE_KEYS)) return undefined;
  const violates = readReason(member(given, 'violates'));
  const reading: Reading = { ...base, violates: violates !== undefined };
  const effect = readEffect(given, reading);
  const delay = readDelay(member(given, 'delay'));
  const then = member(given, 'then');
  if (isIdle(given)) {
    given.notes.wrong(
      given.pointer,
      'this rule does nothing',
      'give it respond, patch, sequence, fault, delay or then',
    );
  }
  return {
    place: given.notes.place(given.pointer),
    when: readWhen(member(given, 'when'), reading),
    effect,
    delay,
    times:
      member(given, 'times').value === undefined
        ? undefined
        : readWhole(member(given, 'times'), '"times"', [1, Infinity]),
    probability: readProbability(member(given, 'probability')),
    changes: then.value === undefined ? undefined : readChanges(then, '"then"', reading),
    violates,
  };
}

const EFFECTS = ['respond', 'patch', 'sequence', 'fault'] as const;

/** Whether a rule only has conditions; one with an unknown key was meant to do something. */
function isIdle({ value }: Given): boolean {
  return (
    isObject(value) && Object.keys(value).every((name) => ['when', 'times', 'probability', 'violates'].includes(name))
  );
}

function readReason(given: Given): string | undefined {
  return given.value === undefined ? undefined : readText(given, '"violates"');
}

function readEffect(given: Given, reading: Reading): Effect {
  const named = EFFECTS.filter((name) => member(given, name).value !== undefined);
  const [first, second] = named;
  const isBrokenAnswer = named.length === 2 && first === 'respond' && second === 'fault';
  if (second !== undefined && !isBrokenAnswer) {
    given.notes.wrong(given.pointer, `a rule cannot have both ${first} and ${second}`, 'make two rules of it');
    return { kind: 'none' };
  }
  const onEnd = member(given, 'onEnd');
  if (onEnd.value !== undefined && first !== 'sequence') {
    given.notes.wrong(onEnd.pointer, '"onEnd" is only for a sequence', 'a rule that applies a few times says times: 2');
  }
  if (isBrokenAnswer) return readBrokenAnswer(given, reading);
  return readOneEffect(given, first, reading) ?? { kind: 'none' };
}

function readOneEffect(given: Given, name: (typeof EFFECTS)[number] | undefined, reading: Reading): Effect | undefined {
  if (name === 'respond') {
    const respond = readRespond(member(given, name), '"respond"', reading);
    return respond && { kind: 'respond', respond };
  }
  if (name === 'patch') {
    const patch = readPatch(member(given, name), reading);
    return patch && { kind: 'patch', patch };
  }
  if (name === 'sequence') return readSequence(given, reading);
  return name === 'fault' ? readFault(member(given, name)) : undefined;
}

function readBrokenAnswer(given: Given, reading: Reading): Effect {
  const respond = readRespond(member(given, 'respond'), '"respond"', reading);
  const fault = readFault(member(given, 'fault'));
  if (fault?.kind === 'rate-limit') {
    given.notes.wrong(member(given, 'fault').pointer, 'a rate limit answers by itself', 'make two rules of it');
  }
  if (respond === undefined || fault?.kind !== 'fault') return { kind: 'none' };
  return { kind: 'respond', respond: { ...respond, fault: fault.fault } };
}

function readSequence(given: Given, reading: Reading): Effect | undefined {
  const list = member(given, 'sequence');
  const items = readItems(list, '"sequence"');
  if (Array.isArray(list.value) && items.length === 0) {
    list.notes.wrong(list.pointer, 'a sequence needs at least one step');
  }
  const steps = items.flatMap((item): readonly Step[] => {
    if (item.value === 'engine') return ['engine'];
    if (typeof item.value === 'string') {
      item.notes.wrong(item.pointer, `a step is an answer or "engine", not ${describe(item.value)}`);
      return [];
    }
    const step = readRespond(item, 'a step of "sequence"', reading);
    return step === undefined ? [] : [step];
  });
  const onEnd = member(given, 'onEnd');
  const word = onEnd.value === undefined ? 'hold' : readWord(onEnd, '"onEnd"', ON_END);
  return steps.length === 0 || word === undefined ? undefined : { kind: 'sequence', steps, onEnd: word };
}

function readProbability(given: Given): number | undefined {
  const value = given.value;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  const isPercent = typeof value === 'number' && value > 1 && value <= 100;
  const hint = isPercent ? `did you mean ${value / 100}?` : undefined;
  given.notes.wrong(given.pointer, `"probability" must be from 0 to 1, not ${describe(value)}`, hint);
  return undefined;
}

const DELAY_FORMS =
  '300, "1.5s", { uniform: [200, 900] }, { lognormal: { median, p99 } } or { normal: { mean, deviation } }';

function readDelay(given: Given): Delay | undefined {
  if (given.value === undefined) return undefined;
  if (!isObject(given.value)) {
    const ms = readDuration(given.value);
    if (typeof ms === 'number') return { kind: 'fixed', ms };
    given.notes.wrong(given.pointer, `"delay" ${ms}`, `write ${DELAY_FORMS}`);
    return undefined;
  }
  if (!isRecord(given, '"delay"', ['uniform', 'lognormal', 'normal'])) return undefined;
  const [name, other] = Object.keys(given.value);
  if (name === undefined || other !== undefined) {
    given.notes.wrong(given.pointer, '"delay" must be one distribution', `write ${DELAY_FORMS}`);
    return undefined;
  }
  if (name === 'uniform') return readUniform(member(given, name));
  if (name === 'lognormal') return readLognormal(member(given, name));
  return name === 'normal' ? readNormal(member(given, name)) : undefined;
}

function readUniform(given: Given): Delay | undefined {
  const [from, to, more] = readItems(given, '"uniform"');
  const low = from && readMs(from, 'the first of "uniform"');
  const high = to && readMs(to, 'the second of "uniform"');
  if (low === undefined || high === undefined || more !== undefined || low > high) {
    given.notes.wrong(
      given.pointer,
      `"uniform" must be two durations, the shorter first, not ${describe(given.value)}`,
    );
    return undefined;
  }
  return { kind: 'uniform', from: low, to: high };
}

function readLognormal(given: Given): Delay | undefined {
  if (!isRecord(given, '"lognormal"', ['median', 'p99'])) return undefined;
  const median = readMs(member(given, 'median'), '"median"');
  const p99 = readMs(member(given, 'p99'), '"p99"');
  if (median === undefined || p99 === undefined) return undefined;
  if (median > 0 && p99 >= median) return { kind: 'lognormal', median, p99 };
  given.notes.wrong(given.pointer, `"p99" must be at least "median", and that above 0`);
  return undefined;
}

function readNormal(given: Given): Delay | undefined {
  if (!isRecord(given, '"normal"', ['mean', 'deviation'])) return undefined;
  const mean = readMs(member(given, 'mean'), '"mean"');
  const deviation = readMs(member(given, 'deviation'), '"deviation"');
  return mean === undefined || deviation === undefined ? undefined : { kind: 'normal', mean, deviation };
}

function readMs(given: Given, what: string): number | undefined {
  const ms = given.value === undefined ? 'is missing' : readDuration(given.value);
  if (typeof ms === 'number') return ms;
  given.notes.wrong(given.pointer, `${what} ${ms}`);
  return undefined;
}
