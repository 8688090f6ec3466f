/**
 * A scenario as its author writes it: plain data, one file of `scenarios/` each, the id is the file's name.
 *
 * These types are for reading; nothing is trusted until `readScenario` has checked it against the contract.
 */
export interface ScenarioDefinition {
  readonly $schema?: string;
  readonly description?: string;
  /** Ids of the scenarios this one adds to; its own rules go before theirs, its state after theirs. */
  readonly extends?: string | readonly string[];
  /** Changes of collections, made when the scenario is activated. */
  readonly state?: Readonly<Record<string, CollectionChange>>;
  /** Values that rules can ask for (`when: { state: { vars } }`) and change (`then: { vars }`). */
  readonly vars?: Readonly<Record<string, unknown>>;
  /** Rules by operation id, `"GET /path"`, or `"*"` for every operation. */
  readonly operations?: Readonly<Record<string, RuleDefinition | readonly RuleDefinition[]>>;
}

/** One change of one collection, carried out in this order. */
interface CollectionChange {
  readonly clear?: boolean;
  /** How many items to make from the schema. */
  readonly generate?: number;
  /** Items, whole or in part; what is left out is made from the schema. */
  readonly add?: readonly Readonly<Record<string, unknown>>[];
  /** Merge patches (RFC 7386) by id. */
  readonly update?: Readonly<Record<string, unknown>>;
  /** Ids; one that is not there is passed over. */
  readonly remove?: readonly unknown[];
}

/** One line of a scenario. */
export interface RuleDefinition {
  readonly when?: WhenDefinition;
  readonly respond?: RespondDefinition;
  readonly patch?: PatchDefinition;
  readonly sequence?: readonly (RespondDefinition | 'engine')[];
  readonly onEnd?: 'hold' | 'cycle' | 'fallthrough' | 'error';
  readonly fault?: string | Readonly<Record<string, unknown>>;
  readonly delay?: number | string | Readonly<Record<string, unknown>>;
  readonly times?: number;
  readonly probability?: number;
  readonly then?: Readonly<Record<string, unknown>>;
  /** Why this rule breaks the contract on purpose. */
  readonly violates?: string;
}

/** What a call must be like; every part must hold. A parameter that only has to be there is `{ present: true }`; `null` means it is absent. */
interface WhenDefinition {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly cookie?: Readonly<Record<string, unknown>>;
  /** A JSON subset: objects may have more members, everything else is equal. */
  readonly body?: unknown;
  /** Which of the calls that meet the rest: `3`, `"2..4"`, `"3.."`, `"every 5"`. */
  readonly call?: number | string;
  readonly state?: Readonly<Record<string, unknown>>;
}

/** An answer; the body may leave out what the schema can supply. */
interface RespondDefinition {
  readonly status?: number;
  readonly example?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly mediaType?: string;
  /** In a sequence only: this step goes wrong on the wire. */
  readonly fault?: string | Readonly<Record<string, unknown>>;
}

/** A merge patch (RFC 7386) over the answer from below. */
interface PatchDefinition {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}
