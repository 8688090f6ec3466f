import type {
  PatchDefinition,
  RespondDefinition,
  RuleDefinition,
  ScenarioDefinition,
  StepDefinition,
} from '../definition/definition.js';
import type { MockScenarios } from '../scenario-handle.js';
import type {
  ContentOf,
  DeclaredOf,
  OperationNameOf,
  OperationOf,
  OperationTypes,
  ResponsesOf,
  StatusesOf,
} from '../../../answer/handlers.js';

/** Scenarios by id, with typed operations where the types of operations are known. */
export type ScenariosOf<Types> = Readonly<
  Record<string, unknown extends Types ? ScenarioDefinition : TypedScenario<Types>>
>;

/** A scenario whose rules are for typed operations, by operation id, `"GET /path"`, or `"*"`. */
export type TypedScenario<Types> = Omit<ScenarioDefinition, 'operations'> & {
  readonly operations?: {
    readonly [Name in '*' | OperationNameOf<Types>]?: OneOrMany<TypedRule<OperationOf<Types, Name>>>;
  };
};

/** A rule, or a list of rules; not written as an array type, for which TypeScript would not say where a rule is wrong. */
export type OneOrMany<Rule> = Rule | (Iterable<Rule> & { readonly length: number; readonly [index: number]: Rule });

/**
 * A rule for one operation: its answers have declared statuses, bodies and headers, unless `violates` says why they break the contract.
 * Rules of operations without types can have any answer.
 */
export type TypedRule<Operation> = [Operation] extends [never]
  ? RuleDefinition
  : BreakingRule | DeclaredRule<Operation>;

/**
 * A rule that breaks the contract on purpose: it can have any answer. TypeScript explains mistakes by the last alternative of a union, which
 * version 7 sorts by name and earlier ones as they are written; both put this one before `DeclaredRule`.
 */
export interface BreakingRule extends RuleDefinition {
  /** Why the rule breaks the contract on purpose; the journal shows it. */
  readonly violates: string;
}

/** A rule whose answers are those that one operation declares. */
export interface DeclaredRule<Operation> extends Omit<RuleDefinition, 'respond' | 'patch' | 'sequence' | 'violates'> {
  /** The answer. */
  readonly respond?: RespondOf<Operation>;
  /** A change of the answer that the mock gives without the rule. */
  readonly patch?: PatchOf<Operation>;
  /** One answer per call; `engine` is what the mock answers without the rule. */
  readonly sequence?: readonly ((RespondOf<Operation> & Pick<StepDefinition, 'fault'>) | 'engine')[];
  readonly violates?: undefined;
}

/** The declared answers of one operation; without a status that of success, or of the example. */
export type RespondOf<Operation> =
  | {
      [Key in DeclaredOf<Operation>]: { readonly status: StatusesOf<Operation, Key> } & AnswerPartsOf<
        ResponsesOf<Operation>[Key]
      >;
    }[DeclaredOf<Operation>]
  | ({ readonly status?: undefined } & AnswerPartsOf<ResponsesOf<Operation>[UsualOf<Operation>]>);

/** The members besides `status` of an answer with the status of one declared response. */
export type AnswerPartsOf<Declared> = Omit<RespondDefinition, 'status' | 'body' | 'headers'> & {
  /** The body; members that it leaves out are completed from the schema. */
  readonly body?: ScriptedOf<ScriptedBodyOf<Declared>>;
  /** Headers of the answer. */
  readonly headers?: ScriptedHeadersOf<Declared> & NonNullable<RespondDefinition['headers']>;
};

/** A merge patch (RFC 7386) of an answer of one operation. */
export type PatchOf<Operation> =
  | {
      [Key in DeclaredOf<Operation>]: { readonly status: StatusesOf<Operation, Key> } & PatchPartsOf<
        ResponsesOf<Operation>[Key]
      >;
    }[DeclaredOf<Operation>]
  | ({ readonly status?: undefined } & PatchPartsOf<ResponsesOf<Operation>[UsualOf<Operation>]>);

/** The members besides `status` of a patch of one declared response. */
export type PatchPartsOf<Declared> = Omit<PatchDefinition, 'status' | 'body'> & {
  /** A merge patch (RFC 7386) of the body; `null` removes a member, or is the value of a required one that can be null. */
  readonly body?: ScriptedPatchOf<ScriptedBodyOf<Declared>>;
};

/** The keys of the responses of one operation that an answer without a status can be: success, else `default`, else all. */
export type UsualOf<Operation> = [SuccessKeyOf<Operation>] extends [never]
  ? 'default' extends DeclaredOf<Operation>
    ? 'default'
    : DeclaredOf<Operation>
  : SuccessKeyOf<Operation>;

/** The keys of the success responses of one operation: `200`, `2XX`. */
export type SuccessKeyOf<Operation> = {
  [Key in DeclaredOf<Operation>]: `${Key & (string | number)}` extends `2${string}` ? Key : never;
}[DeclaredOf<Operation>];

/** The body of a declared response as a scenario writes it: a string for what is not JSON, anything where no content is declared. */
export type ScriptedBodyOf<Declared> = [ContentOf<Declared>] extends [undefined]
  ? unknown
  : Declared extends { content: infer Content }
    ? { [Type in keyof Content]: Content[Type] | (Type extends `${string}json` ? never : string) }[keyof Content]
    : never;

/** A runtime expression in place of a value: `$request.path.id`, `$vars.total`, or a string with `{$request.query.limit}`. */
export type RuntimeExpression = `$request.${string}` | `$vars.${string}` | `${string}{$${string}}${string}`;

/** A JSON value from which members of objects are left out, at every level, with a runtime expression in place of any value. */
export type ScriptedOf<Value> = unknown extends Value
  ? unknown
  : Value extends readonly unknown[]
    ? readonly ScriptedOf<Value[number]>[] | RuntimeExpression
    : Value extends object
      ? ScriptedMembersOf<Value> | RuntimeExpression
      : Value | RuntimeExpression;

/** Some members of an object; any members where none is declared. */
export type ScriptedMembersOf<Value> = [Value[keyof Value]] extends [never]
  ? Readonly<Record<string, unknown>>
  : { readonly [Name in keyof Value]?: ScriptedOf<Value[Name]> };

/** A merge patch of a JSON value, with a runtime expression in place of any value; `null` removes a member. */
export type ScriptedPatchOf<Value> = unknown extends Value
  ? unknown
  : Value extends readonly unknown[]
    ? ScriptedOf<Value>
    : Value extends object
      ? { readonly [Name in keyof Value]?: ScriptedPatchOf<Value[Name]> | null } | RuntimeExpression
      : Value | RuntimeExpression;

/** The declared headers of a response as a scenario writes them. */
export type ScriptedHeadersOf<Declared> = Declared extends { headers: infer Headers }
  ? {
      readonly [Name in keyof Headers as string extends Name ? never : number extends Name ? never : Name]?:
        | ScriptedHeaderOf<NonNullable<Headers[Name]>>
        | RuntimeExpression;
    }
  : unknown;

/** The value of a declared header: as its type is, or the same as text. */
export type ScriptedHeaderOf<Value> = unknown extends Value
  ? unknown
  : Value extends string | number | boolean
    ? Value | `${Value}`
    : unknown;

/** The scenarios of a mock, with typed operations where the types of operations are known. */
export type MockScenariosOf<Types> = unknown extends Types ? MockScenarios : TypedMockScenarios<Types>;

/** The scenarios of a mock of typed operations; see `MockScenarios`. */
export interface TypedMockScenarios<Types> extends Omit<MockScenarios, 'add'> {
  /**
   * Adds a scenario, or replaces the one with the same id.
   *
   * @throws MockError `SCENARIO_INVALID` with every mistake.
   */
  add(id: string, definition: TypedScenario<Types>): void;
}

/**
 * Gives scenarios the types of a contract, for scenarios in a file of their own.
 *
 * @example
 * ```ts
 * import { createMock, defineScenarios } from 'vouch';
 *
 * interface operations {
 *   downloadFile: {
 *     responses: { 404: { content: { 'application/json': { error: { message: string; code: string } } } } };
 *   };
 * }
 * const scenarios = defineScenarios<operations>({
 *   gone: { operations: { downloadFile: { respond: { status: 404, body: { error: { code: 'gone' } } } } } },
 * });
 * const mock = await createMock<operations>({ spec: 'spec/openapi.yaml', scenarios: { from: scenarios, active: 'gone' } });
 * const response = await mock.fetch('/v1/files/file-1/content', { headers: { authorization: 'Bearer k' } });
 * if (response.status !== 404) throw new Error(`answered ${response.status}`);
 * ```
 */
export function defineScenarios<Types extends OperationTypes>(scenarios: ScenariosOf<Types>): ScenariosOf<Types> {
  return scenarios;
}
