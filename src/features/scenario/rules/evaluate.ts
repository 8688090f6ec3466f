import { URLSearchParams } from 'node:url';
import { readOwn } from '../../../base/json.js';
import { describe } from '../../../contract/load/source-node.js';
import type { Fault } from '../../../http/answer.js';
import type { Call } from '../../../http/request/call.js';
import { splitCookies } from '../../../http/request/parameters.js';
import { createRandom, type Random } from '../../../base/random.js';
import { isSubset, type Matcher } from './matcher.js';
import type { CallRange, Delay, RateLimit, Respond, Rule, SequenceStep, When } from './rule.js';
import type { ScenarioState } from './scenario-state.js';

/** The collections of a session, as conditions read them. */
export interface CollectionView {
  count(name: string): number;
  has(name: string, id: string): boolean;
}

interface EvaluationInput {
  readonly call: Call;
  readonly seed: number;
  /** By the session's clock, in milliseconds. */
  readonly now: number;
  readonly state: ScenarioState;
  readonly collections: CollectionView;
  /** Adds a line to the trace. */
  note(line: string): void;
}

/** The combined result of the rules that apply to one call. */
export interface Evaluation {
  /** The rules that apply, by precedence; neither their `then` nor their patches are applied yet. */
  readonly applied: readonly Rule[];
  readonly delayMs: number;
  /** The rate limit with the fewest calls left. */
  readonly limit: LimitState | undefined;
  /** The outcome of the deciding rule; undefined: the sources below answer. */
  readonly outcome: RuleOutcome | undefined;
}

/** The window of a rate limit after a call. */
export interface LimitState {
  /** The calls per window. */
  readonly calls: number;
  readonly remaining: number;
  readonly isExceeded: boolean;
  readonly windowMs: number;
  /** The end of the window, in milliseconds by the session's clock, as `now`. */
  readonly end: number;
  readonly now: number;
  /** The headers that the rule names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The outcome of the deciding rule. */
export interface RuleOutcome {
  readonly rule: Rule;
  /** Undefined with a fault: the sources below answer, and that answer fails. */
  readonly respond?: Respond | undefined;
  readonly fault?: Fault | undefined;
  /** An error of the mock instead of an answer. */
  readonly error?: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

/**
 * Evaluates every rule, by precedence, against the state before the call.
 *
 * The first rule that responds or faults decides; rules above it that only delay, patch, limit or change state add up; rules below
 * it count the call, but do nothing.
 */
export function evaluateRules(rules: readonly Rule[], input: EvaluationInput): Evaluation {
  const applied: Rule[] = [];
  let limit: LimitState | undefined;
  let delayMs = 0;
  let outcome: RuleOutcome | undefined;
  let others = 0;
  for (const rule of rules) {
    const reason = findReason(rule, input, outcome?.rule);
    if (reason !== undefined) {
      others += 1;
      if (others <= MAX_NOTED)
        input.note(`scenario: rule ${rule.key} (${rule.readPosition()}) does not apply: ${reason}`);
      continue;
    }
    const counter = input.state.counter(rule.key);
    input.state.setCounter(rule.key, { ...counter, applied: counter.applied + 1 });
    applied.push(rule);
    if (rule.delay !== undefined) delayMs += sampleDelay(rule.delay, input.seed, `${rule.key} ${counter.applied}`);
    const result = decide(rule, counter.applied, input);
    limit = joinLimits(limit, result.limit);
    outcome = result.outcome;
    input.note(`scenario: rule ${rule.key} (${rule.readPosition()}) applies${result.remark}`);
  }
  if (others > MAX_NOTED) input.note(`scenario: ${others - MAX_NOTED} more rules do not apply`);
  return { applied, delayMs, limit, outcome };
}

/** The rules that a trace names although they do not apply. A promoted recording can have thousands, and the journal keeps the traces. */
const MAX_NOTED = 100;

/** The limit with fewer calls left, with the headers of both. */
function joinLimits(one: LimitState | undefined, other: LimitState | undefined): LimitState | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const fewest = other.remaining <= one.remaining ? other : one;
  return { ...fewest, headers: { ...one.headers, ...other.headers } };
}

/** Why a rule does not apply; undefined if it does. A call that matches the conditions is counted either way. */
function findReason(rule: Rule, input: EvaluationInput, decided: Rule | undefined): string | undefined {
  const { state } = input;
  const mismatch = rule.when && findMismatch(rule.when, input);
  if (mismatch !== undefined) return mismatch;
  const before = state.counter(rule.key);
  const counter = { ...before, matched: before.matched + 1 };
  state.setCounter(rule.key, counter);
  const range = rule.when?.call;
  if (range !== undefined && !isInRange(range, counter.matched))
    return `this is call ${counter.matched}, not ${formatRange(range)}`;
  if (decided !== undefined) return `rule ${decided.key} comes first`;
  if (rule.times !== undefined && counter.applied >= rule.times)
    return `it has applied ${counter.applied} of ${rule.times} times`;
  if (rule.probability !== undefined) {
    const drawn = createRandom(input.seed, `probability ${rule.key} ${counter.matched}`).next();
    if (drawn >= rule.probability)
      return `the random number ${drawn.toFixed(3)} is not below its probability ${rule.probability}`;
  }
  const { sequence, onEnd } = rule;
  if (sequence !== undefined && onEnd === 'fallthrough' && counter.applied >= sequence.length) {
    return `its sequence of ${sequence.length} steps has ended`;
  }
  return undefined;
}

/** Why a call does not match the conditions of a rule, `call` excepted; undefined if it does. */
function findMismatch(when: When, { call, collections, state }: EvaluationInput): string | undefined {
  return (
    findCallMismatch(when, call) ??
    findCollectionMismatch(when.state, collections) ??
    findVarMismatch(when.state.vars, state.vars)
  );
}

/** Why a call does not match the conditions on its request; undefined if it does. */
export function findCallMismatch(when: When, call: Call): string | undefined {
  return (
    findIn('path', when.path, (name) => readOwn(call.path, name)) ??
    findIn('query', when.query, (name) => readQuery(call, name)) ??
    findIn('header', when.header, (name) => call.headers.get(name.toLowerCase()) ?? undefined) ??
    findIn('cookie', when.cookie, (name) => readCookie(call, name)) ??
    (when.body?.test(call.body) !== false ? undefined : 'the body does not match')
  );
}

function findIn(
  place: string,
  wanted: Readonly<Record<string, Matcher>>,
  read: (name: string) => unknown,
): string | undefined {
  for (const name of Object.keys(wanted)) {
    const actual = read(name);
    const matcher = wanted[name];
    if (matcher?.test(actual) === false) {
      return `${place} ${JSON.stringify(name)} is ${actual === undefined ? 'absent' : describe(actual)}, not ${describe(matcher.written)}`;
    }
  }
  return undefined;
}

/** The decoded value of a declared parameter, the raw text of any other. */
function readQuery(call: Call, name: string): unknown {
  if (Object.hasOwn(call.query, name)) return call.query[name];
  const start = call.url.indexOf('?');
  return start === -1 ? undefined : (new URLSearchParams(call.url.slice(start)).get(name) ?? undefined);
}

function readCookie(call: Call, name: string): unknown {
  if (Object.hasOwn(call.cookie, name)) return call.cookie[name];
  return splitCookies(call.headers.get('cookie') ?? '').find((cookie) => cookie.name === name)?.raw;
}

function findCollectionMismatch({ collections }: When['state'], view: CollectionView): string | undefined {
  for (const { name, count, has, lacks } of collections) {
    if (count !== undefined && !isInRange(count, view.count(name))) {
      return `${name} has ${view.count(name)} items, not ${formatRange(count)}`;
    }
    const missing = has.find((id) => !view.has(name, id));
    if (missing !== undefined) return `${name} has no item ${JSON.stringify(missing)}`;
    const present = lacks.find((id) => view.has(name, id));
    if (present !== undefined) return `${name} has the item ${JSON.stringify(present)}`;
  }
  return undefined;
}

function findVarMismatch(wanted: When['state']['vars'], vars: Readonly<Record<string, unknown>>): string | undefined {
  const name = Object.keys(wanted).find((each) => !(Object.hasOwn(vars, each) && isSubset(wanted[each], vars[each])));
  return name === undefined
    ? undefined
    : `variable ${JSON.stringify(name)} is ${describe(vars[name])}, not ${describe(wanted[name])}`;
}

function isInRange(range: CallRange, count: number): boolean {
  return range.kind === 'every' ? count % range.every === 0 : count >= range.from && count <= range.to;
}

/** A range as it is written: `3`, `2..4`, `every 5`. */
function formatRange(range: CallRange): string {
  if (range.kind === 'every') return `every ${range.every}`;
  if (range.from === range.to) return String(range.from);
  return `${range.from}..${range.to === Infinity ? '' : range.to}`;
}

interface Decision {
  readonly outcome: RuleOutcome | undefined;
  readonly limit?: LimitState;
  /** The remark that the trace adds to "applies". */
  readonly remark: string;
}

function decide(rule: Rule, applied: number, input: EvaluationInput): Decision {
  const { respond, sequence, fault } = rule;
  if (sequence !== undefined) return decideStep(rule, sequence, applied);
  if (fault?.kind === 'rate-limit') return decideLimit(rule, fault, input);
  if (respond === undefined && fault === undefined) return { outcome: undefined, remark: '' };
  const remark = respond === undefined ? ` with the fault ${fault?.kind}` : ' and answers';
  return { outcome: { rule, respond, fault }, remark };
}

function decideStep(rule: Rule, steps: readonly SequenceStep[], applied: number): Decision {
  const { onEnd } = rule;
  const isOver = applied >= steps.length;
  const index = onEnd === 'cycle' ? applied % steps.length : Math.min(applied, steps.length - 1);
  const step = steps[index];
  if (step === undefined || (isOver && onEnd === 'error')) {
    const message = `the sequence of rule ${rule.key} has no step for call ${applied + 1}: its length is ${steps.length}`;
    const error = { status: 500, code: 'sequence_ended', message };
    return { outcome: { rule, error }, remark: ': its sequence has ended' };
  }
  const held = isOver && onEnd === 'hold' ? ', held after the end of its sequence' : '';
  const remark = ` with step ${index + 1} of ${steps.length}${held}`;
  if (step === 'engine') return { outcome: undefined, remark: `${remark}: the answer from below` };
  const { fault, status, example, body, events } = step;
  const isOnlyFault = fault !== undefined && [status, example, body, events].every((each) => each === undefined);
  return { outcome: { rule, respond: isOnlyFault ? undefined : step, fault }, remark };
}

function decideLimit(rule: Rule, limit: RateLimit, { call, state, now }: EvaluationInput): Decision {
  const credential = Object.values(call.credentials)[0] ?? call.headers.get('authorization') ?? '';
  const owner = limit.per === 'session' ? '' : limit.per === 'operation' ? call.operation.id : credential;
  const key = `${rule.key} ${owner}`;
  const before = state.window(key);
  // The first call, or the first after the end of the window, starts a new one.
  const current = before === undefined || now >= before.start + limit.window ? { start: now, calls: 0 } : before;
  const isAllowed = current.calls < limit.limit;
  const calls = isAllowed ? current.calls + 1 : current.calls;
  state.setWindow(key, { start: current.start, calls });
  const end = current.start + limit.window;
  const seconds = String(countSecondsUntil({ end, now }));
  const headers: Record<string, string> = {};
  if (limit.headers.limit !== undefined) headers[limit.headers.limit] = String(limit.limit);
  if (limit.headers.remaining !== undefined) headers[limit.headers.remaining] = String(limit.limit - calls);
  if (limit.headers.reset !== undefined) headers[limit.headers.reset] = seconds;
  const window = {
    calls: limit.limit,
    remaining: limit.limit - calls,
    isExceeded: !isAllowed,
    windowMs: limit.window,
    end,
    now,
    headers,
  };
  if (isAllowed)
    return { outcome: undefined, limit: window, remark: `: ${calls} of ${limit.limit} calls in this window` };
  headers['retry-after'] = seconds;
  const message = `rate limit reached: ${limit.limit} calls in ${limit.window / 1000} s; try again in ${seconds} s`;
  const error = { status: 429, code: 'rate_limit_exceeded', message, headers };
  return { outcome: { rule, error }, limit: window, remark: ': no call is left in this window' };
}

/** RFC 9110 10.2.3: Retry-After counts whole seconds; rounded up, so that a client that waits is not refused again. */
export function countSecondsUntil({ now, end }: Pick<LimitState, 'now' | 'end'>): number {
  return Math.max(1, Math.ceil((end - now) / 1000));
}

/** The longest delay, in milliseconds, whatever its distribution yields. */
const MAX_DELAY_MS = 600_000;

// The 99th percentile of the standard normal distribution.
const Z99 = 2.3263478740408408;

/** The length of one delay: a function of the seed and the key only. */
export function sampleDelay(delay: Delay, seed: number, key: string): number {
  if (delay.kind === 'fixed') return delay.ms;
  const ms = draw(delay, createRandom(seed, `delay ${key}`));
  return Math.min(MAX_DELAY_MS, Math.max(0, Math.round(ms)));
}

function draw(delay: Exclude<Delay, { readonly kind: 'fixed' }>, random: Random): number {
  if (delay.kind === 'uniform') return delay.from + random.next() * (delay.to - delay.from);
  // A value of the standard normal distribution from two of the uniform one (Box and Muller, 1958).
  const z = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  if (delay.kind === 'normal') return delay.mean + delay.deviation * z;
  return delay.median * Math.exp((Math.log(delay.p99 / delay.median) / Z99) * z);
}
