import type { Operation } from '../../contract/operations/operation.js';
import type { Fault } from '../../http/answer.js';
import type { CallRange } from './call-range.js';
import type { Delay } from './delay.js';
import type { RateLimit } from './rate-limit.js';

/** A named set of rules, checked against the contract. */
export interface Scenario {
  readonly id: string;
  readonly description: string | undefined;
  /** Undefined where it was handed over as an object. */
  readonly file: string | undefined;
  readonly extends: readonly string[];
  /** What activating it changes, its ancestors' changes first. */
  readonly start: Changes;
  /** The same by the scenario each part is written in, so that one that is extended by two ways counts once. */
  readonly layers: readonly Layer[];
  /** In order of precedence: its own from the top down, then those of what it extends, the last named first. */
  readonly rules: readonly Rule[];
  /** Those that speak of one operation, in the same order; the same list every time. */
  rulesFor(operation: Operation): readonly Rule[];
}

/** What one scenario itself changes at its start. */
export interface Layer {
  readonly id: string;
  readonly start: Changes;
}

/** One line of a scenario, checked and ready to be asked. */
export interface Rule {
  /** Unique within a mock: `flaky/createThing[0]`. */
  readonly key: string;
  /** The scenario that is activated, which is not always the one whose file the rule stands in. */
  readonly scenario: string;
  /** An operation id, or `*`. */
  readonly target: string;
  /** `scenarios/flaky.yaml:4`, or the pointer where there is no file. */
  readonly place: string;
  readonly when: When | undefined;
  readonly effect: Effect;
  readonly delay: Delay | undefined;
  readonly times: number | undefined;
  readonly probability: number | undefined;
  /** What `then` says. */
  readonly changes: Changes | undefined;
  readonly violates: string | undefined;
}

/** What a call must be like for a rule to apply. */
export interface When {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Names in lower case. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly cookie: Readonly<Record<string, unknown>>;
  /** Undefined: any body, or none. */
  readonly body: unknown;
  readonly call: CallRange | undefined;
  readonly collections: readonly CollectionCondition[];
  readonly vars: Readonly<Record<string, unknown>>;
}

/** What a collection must be like. */
export interface CollectionCondition {
  readonly name: string;
  readonly count: CallRange | undefined;
  readonly has: readonly string[];
  readonly lacks: readonly string[];
}

/** What a rule does to the answer. */
export type Effect =
  | { readonly kind: 'none' }
  | { readonly kind: 'respond'; readonly respond: Respond }
  | { readonly kind: 'patch'; readonly patch: Patch }
  | { readonly kind: 'sequence'; readonly steps: readonly Step[]; readonly onEnd: OnEnd }
  | { readonly kind: 'fault'; readonly fault: Fault }
  | { readonly kind: 'rate-limit'; readonly limit: RateLimit };

/** What a sequence does once it ran out. */
export type OnEnd = 'hold' | 'cycle' | 'fallthrough' | 'error';

/** One answer of a sequence; `engine` lets the call through. */
export type Step = 'engine' | Respond;

/** An answer to give. */
export interface Respond {
  /** Undefined: the status of the example, or the one the contract puts first. */
  readonly status: number | undefined;
  readonly example: string | undefined;
  /** Undefined: made from the contract. May hold expressions. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly mediaType: string | undefined;
  readonly fault: Fault | undefined;
}

/** A merge patch (RFC 7386) over an answer. */
export interface Patch {
  readonly status: number | undefined;
  /** `null` takes a header away. */
  readonly headers: Readonly<Record<string, string | readonly string[] | null>>;
  /** Undefined: the body stays. May hold expressions. */
  readonly body: unknown;
}

/** Changes of collections and vars; values may hold expressions. */
export interface Changes {
  readonly collections: readonly CollectionChanges[];
  readonly vars: Readonly<Record<string, unknown>>;
}

/** Changes of one collection, in the order of the fields. */
export interface CollectionChanges {
  readonly name: string;
  readonly clear: boolean;
  readonly generate: number;
  readonly add: readonly unknown[];
  readonly update: Readonly<Record<string, unknown>>;
  readonly remove: readonly unknown[];
}

/** The rules of a list that speak of one operation: by its id or by `*`. */
export function selectRules(rules: readonly Rule[], operation: Operation): readonly Rule[] {
  return rules.filter((rule) => rule.target === '*' || rule.target === operation.id);
}
