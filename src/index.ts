export { createMock, type Mock, type MockServer } from './mock.js';
export type { MockOptions } from './options.js';
export type { SessionHandle, State, CollectionHandle } from './session/handle.js';
export type { ResetKind, SessionSnapshot } from './session/session.js';
export type { SessionOpening } from './session/sessions.js';
export type { SessionVerifyOptions } from './session/verify-session.js';
export { MockError, type ErrorCode, type Place } from './errors.js';
export { createVirtualClock, createRealClock, type Clock, type VirtualClock } from './clock.js';
export type { Interaction } from './journal/interaction.js';
export type { Journal } from './journal/journal.js';
export type { Violation } from './schema/violation.js';
export type { Answer } from './http/answer.js';
export type { Call } from './http/request/call.js';
export type { Contract, Problem } from './contract/contract.js';
export type { Operation } from './contract/operations/operation.js';
export {
  defineHandlers,
  type Handler,
  type HandlerContext,
  type Handlers,
  type TypedHandlers,
} from './answer/handlers.js';
export type {
  CollectionChange,
  CollectionCondition,
  DelayDefinition,
  FaultDefinition,
  PatchDefinition,
  RespondDefinition,
  RuleDefinition,
  ScenarioDefinition,
  StateChange,
  StateCondition,
  StepDefinition,
  WhenDefinition,
} from './scenario/definition/definition.js';
export type { ScenarioHandle } from './session/handle.js';
export type { ScenarioSummary } from './scenario/scenarios.js';
export type { Reload } from './scenario/scenarios.js';
export type { Cassette, StoredExchange } from './recording/cassette/cassette.js';
export type { MatchRules } from './recording/cassette/manifest.js';
export type { Owner, RecordingMode } from './recording/mode.js';
export type { Recordings, RecordingOptions } from './recording/recordings.js';
export type { RedactionOptions } from './recording/redaction/secret-rules.js';
