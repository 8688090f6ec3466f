/*
 * The types of a scenario file, written from the table in grammar.ts by test/scenario/grammar.test.ts.
 * Nothing is trusted until it was checked at load.
 */

/** A scenario: one file of plain data, whose name is its id. */
export interface ScenarioDefinition {
  /** The JSON Schema that an editor uses. */
  readonly $schema?: string;
  /** What a client of this scenario sees, in one sentence. */
  readonly description?: string;
  /** Ids of scenarios it adds to: its rules come before theirs, its state after theirs. */
  readonly extends?: string | readonly string[];
  /** Changes of collections by name, made when the scenario is activated. */
  readonly state?: StateChange;
  /** Initial values of variables. */
  readonly vars?: Readonly<Record<string, unknown>>;
  /** Rules by operationId, by `"GET /path"`, or by `"*"` for every operation. */
  readonly operations?: Readonly<Record<string, RuleDefinition | readonly RuleDefinition[]>>;
}

/** One change of a collection; its members are applied in this order. */
export interface CollectionChange {
  /** Removes every item before anything else. */
  readonly clear?: boolean;
  /** The number of items to generate from the schema. */
  readonly generate?: number;
  /** Whole or partial items; missing fields are generated, `$parent` is the id of the parent item. */
  readonly add?: readonly Readonly<Record<string, unknown>>[];
  /** Merge patches (RFC 7386) by item id; an id can be an expression such as `$request.path.id`. */
  readonly update?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Ids of items to remove. */
  readonly remove?: readonly (string | number)[];
}

/** One rule of a scenario. */
export interface RuleDefinition {
  /** What a call must be like; every part must match. */
  readonly when?: WhenDefinition;
  /** The answer. */
  readonly respond?: RespondDefinition;
  /** A change of the answer that the mock gives without the rule. */
  readonly patch?: PatchDefinition;
  /** One answer per call; `engine` is what the mock answers without the rule. */
  readonly sequence?: readonly (StepDefinition | 'engine')[];
  /** After the last step of the sequence: `hold` it (default), `cycle`, `fallthrough` to other rules, or answer an `error` (500). */
  readonly onEnd?: 'hold' | 'cycle' | 'fallthrough' | 'error';
  /** What fails on the connection; together with `respond`, that answer fails. */
  readonly fault?: FaultDefinition;
  /** How long to wait before the answer. */
  readonly delay?: DelayDefinition;
  /** How many calls the rule applies to, counted per session. */
  readonly times?: number;
  /** The share of calls it applies to, from 0 to 1; the seed decides which. */
  readonly probability?: number;
  /** Changes of collections and variables, made before the answer. */
  readonly then?: StateChange;
  /** Why the rule breaks the contract on purpose; the journal shows it. */
  readonly violates?: string;
}

/** The conditions of a rule. */
export interface WhenDefinition {
  /** Path parameters by name: a value (of an array, one item), `null` if it must be absent, or a matcher. */
  readonly path?: Readonly<Record<string, ConditionDefinition>>;
  /** Query parameters by name: a value (of an array, one item), `null` if it must be absent, or a matcher. */
  readonly query?: Readonly<Record<string, ConditionDefinition>>;
  /** Headers by name: a value (of an array, one item), `null` if it must be absent, or a matcher. */
  readonly header?: Readonly<Record<string, ConditionDefinition>>;
  /** Cookies by name: a value (of an array, one item), `null` if it must be absent, or a matcher. */
  readonly cookie?: Readonly<Record<string, ConditionDefinition>>;
  /** A subset of the JSON body: objects may have more members, everything else is equal; any part can be a matcher. */
  readonly body?: ConditionDefinition;
  /** Which of the calls that match the rest: `3`, `"2..4"`, `"3.."`, `"..3"` or `"every 5"`. */
  readonly call?: number | string;
  /** Conditions on collections by name (`count`, `has`, `lacks`) and on `vars`. */
  readonly state?: StateCondition;
}

/** Conditions on one value; all of them must be true. */
export interface MatcherDefinition {
  /** Whether there is a value. */
  readonly present?: boolean;
  /** The value, written as without a matcher: for an object whose members have names of matchers. */
  readonly equals?: unknown;
  /** A regular expression that matches a part of the string or number; `^` and `$` are its ends. */
  readonly matches?: string;
  /** The number or date is greater (later) than this one. */
  readonly gt?: number | string;
  /** It is greater or equal. */
  readonly gte?: number | string;
  /** It is less (earlier). */
  readonly lt?: number | string;
  /** It is less or equal. */
  readonly lte?: number | string;
  /** A part of the string, or a value or matcher for an item of the array. */
  readonly contains?: ConditionDefinition;
  /** Values or matchers; one of them has to match. */
  readonly oneOf?: readonly ConditionDefinition[];
  /** A value or matcher that does not match; an absent value does not match it either. */
  readonly not?: ConditionDefinition;
  /** A JSONPath (RFC 9535) that selects at least one node of the value. */
  readonly jsonPath?: string;
}

/** A condition on a collection. */
export interface CollectionCondition {
  /** How many items it has: `3`, `"2..4"`, `"3.."`, `"..3"`. */
  readonly count?: number | string;
  /** Ids of items that it has. */
  readonly has?: string | number | readonly (string | number)[];
  /** Ids of items that it does not have. */
  readonly lacks?: string | number | readonly (string | number)[];
}

/** An answer. */
export interface RespondDefinition {
  /** A documented status; default: the status of the example, or the status of success. */
  readonly status?: number;
  /** The name of an example of the contract. */
  readonly example?: string;
  /** The body; what it leaves out is completed from the schema. */
  readonly body?: unknown;
  /** The bytes of the body, in base64. */
  readonly base64?: string;
  /** The items of a stream, sent one by one: data, or an event with its fields and the delay before it. */
  readonly events?: readonly (
    | EventDefinition
    | Readonly<Record<string, unknown>>
    | readonly unknown[]
    | string
    | number
    | boolean
    | null
  )[];
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string | number | boolean | readonly (string | number | boolean)[]>>;
  /** A documented media type of the body. */
  readonly mediaType?: string;
}

/** One step of a sequence. */
export interface StepDefinition extends RespondDefinition {
  /** A fault of this step. */
  readonly fault?: FaultDefinition;
}

/** One event of a stream; one that has only a `delay` is a pause. */
export interface EventDefinition {
  /** The type of a server-sent event. */
  readonly event?: string;
  /** The id of a server-sent event. */
  readonly id?: string | number;
  /** After how many milliseconds the client of server-sent events connects again. */
  readonly retry?: number;
  /** A JSON value, or a string that is sent as it is: `"[DONE]"`. */
  readonly data?: unknown;
  /** How long to wait before it. */
  readonly delay?: DelayDefinition;
}

/** A merge patch (RFC 7386) of the answer that the mock gives without the rule. */
export interface PatchDefinition {
  /** The new status. */
  readonly status?: number;
  /** New headers; `null` removes one. */
  readonly headers?: Readonly<
    Record<string, string | number | boolean | readonly (string | number | boolean)[] | null>
  >;
  /** A merge patch (RFC 7386) of the body; `null` removes a member, or is the value of a required one that can be null. */
  readonly body?: unknown;
}

/** Changes of collections by name, and new values of variables. */
export interface StateChange {
  /** Variables by name. */
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly [collection: string]: CollectionChange | Readonly<Record<string, unknown>> | undefined;
}

/** Conditions on collections by name, and on variables. */
export interface StateCondition {
  /** Variables by name. */
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly [collection: string]: CollectionCondition | Readonly<Record<string, unknown>> | undefined;
}

/** What fails on the connection: a name, or a name with its settings. */
export type FaultDefinition =
  | 'reset'
  | 'empty'
  | 'garbage'
  | 'malformed-chunk'
  | 'malformed-json'
  | 'truncate'
  | 'hang'
  | 'drip'
  | 'stream'
  | {
      readonly truncate: {
        /** A fraction of the body (`0.5`, `50%`) or a number of bytes; default `0.5`. */
        readonly at?: number | string;
      };
    }
  | {
      readonly hang: {
        /** Before the headers (`headers`, default) or after half of the body (`body`). */
        readonly stage?: 'headers' | 'body';
      };
    }
  | {
      readonly drip: {
        /** The size of a piece; default 1. */
        readonly bytes?: number;
        /** The pause between two pieces, as a number of milliseconds or a string such as `2s`; default 100 ms. */
        readonly every?: number | string;
      };
    }
  | {
      readonly bandwidth: {
        /** Kilobits per second. */
        readonly kbps: number;
      };
    }
  | {
      readonly stream: {
        /** The number of events before it fails; default 1. */
        readonly after?: number;
        /** How it fails: `stall`, `reset` (default), `end`, `bad-json` or `duplicate`. */
        readonly action?: 'stall' | 'reset' | 'end' | 'bad-json' | 'duplicate';
      };
    }
  | {
      readonly 'rate-limit': {
        /** The number of calls per window. */
        readonly limit: number;
        /** The length of the window, as a number of milliseconds or a string such as `2s`; default one minute. */
        readonly window?: number | string;
        /** Which calls share a window: those of a `session` (default), an `operation` or a `credential`. */
        readonly per?: 'session' | 'operation' | 'credential';
        /** Names of the headers, or `false` for none; default `x-ratelimit-*`. */
        readonly headers?: false | { readonly limit?: string; readonly remaining?: string; readonly reset?: string };
      };
    };

/** A value, or a matcher. */
export type ConditionDefinition =
  | MatcherDefinition
  | string
  | number
  | boolean
  | null
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/** A delay: milliseconds, a duration such as `"1.5s"`, or a distribution. */
export type DelayDefinition =
  | number
  | string
  | { readonly uniform: readonly [number | string, number | string] }
  | { readonly lognormal: { readonly median: number | string; readonly p99: number | string } }
  | { readonly normal: { readonly mean: number | string; readonly deviation: number | string } };
