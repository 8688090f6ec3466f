import type { Fault } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import { createRandom } from '../../random.js';
import { formatRange, isInRange } from './call-range.js';
import { sampleDelay } from './delay.js';
import { type CollectionView, findMismatch } from './match.js';
import { drawFrom } from './rate-limit.js';
import type { Patch, Respond, Rule, Step } from './rule.js';
import type { ScenarioState } from './scenario-state.js';

/** What the rules are asked about. */
interface Situation {
  readonly call: Call;
  readonly seed: number;
  /** By the session's clock. */
  readonly now: number;
  readonly state: ScenarioState;
  readonly collections: CollectionView;
  /** Adds a line to the trace. */
  note(line: string): void;
}

/** What the rules that apply to one call want. */
export interface Verdict {
  /** Those that apply, the strongest first; their `then` is still to be carried out. */
  readonly applied: readonly Rule[];
  readonly delayMs: number;
  /** The strongest first: it is laid over last. */
  readonly patches: readonly { readonly rule: Rule; readonly patch: Patch }[];
  /** What rate limits that still have room tell the client. */
  readonly headers: Readonly<Record<string, string>>;
  /** How the call is answered; undefined: by the sources below. */
  readonly outcome: Outcome | undefined;
}

/** What the winning rule does. */
export type Outcome =
  | { readonly kind: 'respond'; readonly rule: Rule; readonly respond: Respond }
  | { readonly kind: 'fault'; readonly rule: Rule; readonly fault: Fault }
  | {
      readonly kind: 'limited';
      readonly rule: Rule;
      readonly headers: Readonly<Record<string, string>>;
      readonly message: string;
    }
  | { readonly kind: 'ran-out'; readonly rule: Rule; readonly message: string };

/**
 * Considers every rule, the strongest first, all of them against the state as the call finds it.
 *
 * The first rule that responds or faults wins; rules above it that only wait, patch, limit or change state add up; those below
 * it still count the call, but do nothing.
 */
export function considerRules(rules: readonly Rule[], situation: Situation): Verdict {
  const applied: Rule[] = [];
  const patches: { readonly rule: Rule; readonly patch: Patch }[] = [];
  const headers: Record<string, string> = {};
  let delayMs = 0;
  let outcome: Outcome | undefined;
  for (const rule of rules) {
    const obstacle = findObstacle(rule, situation, outcome?.rule);
    if (obstacle !== undefined) {
      situation.note(`rule ${rule.key} (${rule.place}) does not apply: ${obstacle}`);
      continue;
    }
    const counter = situation.state.counter(rule.key);
    situation.state.count(rule.key, { ...counter, used: counter.used + 1 });
    applied.push(rule);
    if (rule.delay !== undefined) delayMs += sampleDelay(rule.delay, situation.seed, `${rule.key} ${counter.used}`);
    if (rule.effect.kind === 'patch') patches.push({ rule, patch: rule.effect.patch });
    const result = decide(rule, counter.used, situation);
    Object.assign(headers, result.headers);
    outcome = result.outcome;
    situation.note(`rule ${rule.key} (${rule.place}) applies${result.remark}`);
  }
  return { applied, delayMs, patches, headers, outcome };
}

/** Why a rule does not apply. Counts the call for it where it meets the rule's conditions, whoever answers in the end. */
function findObstacle(rule: Rule, situation: Situation, winner: Rule | undefined): string | undefined {
  const { state, call, collections } = situation;
  const mismatch = rule.when && findMismatch(rule.when, call, { collections, vars: state.vars });
  if (mismatch !== undefined) return mismatch;
  const before = state.counter(rule.key);
  const counter = { ...before, met: before.met + 1 };
  state.count(rule.key, counter);
  const range = rule.when?.call;
  if (range !== undefined && !isInRange(range, counter.met))
    return `this is call ${counter.met}, not ${formatRange(range)}`;
  if (winner !== undefined) return `rule ${winner.key} comes first`;
  if (rule.times !== undefined && counter.used >= rule.times)
    return `it has applied ${counter.used} of ${rule.times} times`;
  if (rule.probability !== undefined) {
    const drawn = createRandom(situation.seed, `probability ${rule.key} ${counter.met}`).next();
    if (drawn >= rule.probability)
      return `chance was against it (${drawn.toFixed(3)}, and it takes less than ${rule.probability})`;
  }
  const { effect } = rule;
  if (effect.kind === 'sequence' && effect.onEnd === 'fallthrough' && counter.used >= effect.steps.length) {
    return `its sequence of ${effect.steps.length} ran out`;
  }
  return undefined;
}

interface Decision {
  readonly outcome: Outcome | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the trace says beside "applies". */
  readonly remark: string;
}

function decide(rule: Rule, used: number, situation: Situation): Decision {
  const { effect } = rule;
  switch (effect.kind) {
    case 'respond':
      return { outcome: { kind: 'respond', rule, respond: effect.respond }, remark: ' and answers' };
    case 'fault':
      return {
        outcome: { kind: 'fault', rule, fault: effect.fault },
        remark: ` and breaks the answer: ${effect.fault.kind}`,
      };
    case 'sequence':
      return decideStep(rule, { ...effect, used });
    case 'rate-limit':
      return decideLimit(rule, effect.limit, situation);
    default:
      return { outcome: undefined, remark: '' };
  }
}

function decideStep(
  rule: Rule,
  sequence: { readonly steps: readonly Step[]; readonly onEnd: string; readonly used: number },
): Decision {
  const { steps, onEnd, used } = sequence;
  const isOver = used >= steps.length;
  if (isOver && onEnd === 'error') {
    const message = `the sequence of rule ${rule.key} ran out after ${steps.length}, and this is call ${used + 1}`;
    return { outcome: { kind: 'ran-out', rule, message }, remark: ': its sequence ran out' };
  }
  const index = onEnd === 'cycle' ? used % steps.length : Math.min(used, steps.length - 1);
  // A sequence has at least one step, and the index is one of them.
  const step = steps[index] as Step;
  const held = isOver && onEnd === 'hold' ? `, held since its sequence of ${steps.length} ran out` : '';
  const remark = ` with step ${index + 1} of ${steps.length}${held}`;
  if (step === 'engine') return { outcome: undefined, remark: `${remark}: the answer from below` };
  const isOnlyFault = step.status === undefined && step.example === undefined && step.body === undefined;
  if (step.fault !== undefined && isOnlyFault) return { outcome: { kind: 'fault', rule, fault: step.fault }, remark };
  return { outcome: { kind: 'respond', rule, respond: step }, remark };
}

function decideLimit(rule: Rule, limit: Parameters<typeof drawFrom>[1], situation: Situation): Decision {
  const { call, state, now } = situation;
  const credential = Object.values(call.credentials)[0] ?? call.headers.get('authorization') ?? '';
  const who = limit.per === 'session' ? '' : limit.per === 'operation' ? call.operation.id : credential;
  const key = `${rule.key} ${who}`;
  const draw = drawFrom(state.bucket(key), limit, now);
  state.fill(key, draw.bucket);
  if (draw.allowed) {
    return {
      outcome: undefined,
      headers: draw.headers,
      remark: `: ${draw.bucket.used} of ${limit.limit} calls in this window`,
    };
  }
  const message = `rate limit reached: ${limit.limit} calls in ${limit.windowMs / 1000} s; try again in ${draw.headers['retry-after']} s`;
  return {
    outcome: { kind: 'limited', rule, headers: draw.headers, message },
    remark: ': no call is left in this window',
  };
}
