export { createMock } from './mock/mock.js';
export { loadContract } from './mock/contract-parts.js';
export { assertSatisfies } from './check/assert.js';
export type { CheckResult, ContractChecks } from './check/check.js';
export type { CheckedRequest, CheckedResponse, ExchangeRequest, ExchangeResponse } from './check/exchange.js';
export { contractMatchers, type ContractMatchers } from './check/matchers.js';
export { createMocks, type Mocks, type MocksOptions, type MocksServer } from './mock/documents/mocks.js';
export { type Config, defineConfig, type DocumentConfig } from './mock/config.js';
export type { Mock, MockRecordings, MockServer, SessionHandle, SessionSnapshot } from './mock/handles.js';
export type * from './mock/options.js';
export type { RedisClient } from './features/redis/connection.js';
export type { CollectionHandle, FieldsOf, ItemOf, State, StateOf, TypedState } from './session/state.js';
export type { MockScenarios, SessionScenarios } from './features/scenario/scenario-handle.js';
export type { ClockOption, Instant, ResetKind } from './session/session.js';
export type { SessionOpening } from './session/sessions.js';
export type { BackoffOptions, ConductOptions } from './session/conduct.js';
export type { SessionVerifyOptions } from './session/conduct.js';
export type {
  Coverage,
  CoverageCounts,
  CoverageDocument,
  CoverageItem,
  CoverageItemKind,
  CoverageKind,
  CoverageShare,
  OperationCoverage,
  RuleCoverage,
} from './features/coverage/coverage.js';
export { MockError, type ErrorCode, type Place } from './base/errors.js';
export {
  createRealClock,
  createVirtualClock,
  type Clock,
  type VirtualClock,
  type VirtualClockOptions,
} from './base/clock.js';
export type {
  Interaction,
  InteractionRequest,
  PlainAnswer,
  InteractionTexts,
  PlainInteraction,
  PlainRequest,
} from './journal/interaction.js';
export type { InteractionPredicate, Journal, WaitOptions } from './journal/journal.js';
export type { Violation, ViolationCode, ViolationPlace } from './schema/violation.js';
export type { Answer, Fault, StreamAction } from './http/answer.js';
export type { ReceivedFile } from './http/request/body-bytes.js';
export type { HandlerCall as Call } from './http/request/call.js';
export type { Contract, Problem } from './contract/contract.js';
export type {
  DeclaredHeader,
  DeclaredResponse,
  Encoding,
  Example,
  MediaType,
  Operation,
  Parameter,
  ParameterPlace,
  ParameterStyle,
  RequestBody,
  SecurityRequirement,
  SecurityScheme,
  Streaming,
  StreamParameter,
} from './contract/operations/operation.js';
export type * from './answer/call-checks.js';
export type { AnswerSetters, FailOptions, SetAnswerOptions, SetBodyOf, SetStatusOf } from './answer/set-answers.js';
export * from './answer/handlers.js';
export * from './features/scenario/answer/typed-scenario.js';
export type * from './features/scenario/definition/definition.js';
export type { Reload, ScenarioSummary } from './features/scenario/scenarios.js';
export type { MockReload } from './server/control/reloads.js';
export type { Cassette, StoredExchange } from './features/recording/cassette/cassette.js';
export type { Manifest, MatchRules } from './features/recording/cassette/manifest.js';
export type { Owner, RecordingMode } from './features/recording/mode.js';
export type { CassetteOptions } from './features/recording/cassettes.js';
export type { ExclusionOptions } from './features/recording/exclusion.js';
export type { MatchExchange } from './features/recording/matching/match.js';
export type { RecordingOptions, RecordingReport, RecordingStart } from './features/recording/recordings.js';
export type { RedactionOptions } from './features/recording/redaction/secret-rules.js';
export type { Schema, SchemaObject } from './base/json.js';
export type { StreamEvent } from './http/event-stream.js';
export type { HeaderFields } from './http/header-fields.js';
export type { QueryProfile } from './http/request/parameters.js';
export type { QueryValues } from './http/target.js';
export type { ExpectedRequest } from './journal/expected-request.js';
export type { ExpectedCall, ReceivedOptions } from './journal/received.js';
export type { CallBounds, VerifyOptions } from './journal/verify.js';
export * from './mock/matchers.js';
export { toPact, type PactOptions, type WrittenPact } from './tools/pact/pact.js';
export type {
  CutOff,
  RecordedBody,
  RecordedEvent,
  NewExchange,
  RecordedExchange,
  RecordedFailure,
  RecordedPart,
  RecordedRequest,
  RecordedResponse,
  SpooledBody,
  TextFilter,
} from './features/recording/cassette/exchange.js';
export type { UpstreamOptions } from './features/recording/upstream/upstream.js';
export type { ConnectionOptions } from './server/connections.js';
export type {
  Interceptable,
  Interception,
  InterceptOptions,
  UnhandledRequest,
} from './features/intercept/intercept.js';
export type { ListenOptions, Listening } from './server/listen.js';
export type { TlsOptions } from './server/secure.js';
export type { Item } from './resources/store/lists/item-list.js';
export type { RunningTest, TestMock, TestMockOptions, WorkerMock } from './runners/test-mock.js';
