import type { CoverageWriter } from '../features/coverage/files.js';
import type { CoverageRecorder } from '../features/coverage/recorder.js';
import type { ScenarioContext } from '../features/scenario/definition/kinds.js';
import type { Reload, Scenarios } from '../features/scenario/scenarios.js';
import type { InteractionRedactor } from '../journal/interaction.js';
import type { StoreDefinition } from '../resources/store/store.js';
import type { ContractAnswers, ContractParts } from './contract-parts.js';

/** The parts of a mock that follow from its files and options, without those that answer requests. */
export interface MockParts extends ContractParts, ContractAnswers {
  readonly seed: number;
  /** The headers besides Authorization that carry credentials, in lower case. */
  readonly credentialHeaders: readonly string[];
  readonly redactor: InteractionRedactor;
  readonly scenarioContext: ScenarioContext;
  readonly scenarios: Scenarios;
  /** How the scenarios were reloaded. */
  readonly reload: Reload;
  /** Undefined where nothing is counted. */
  readonly coverage: MockCoverage | undefined;
  readonly definition: StoreDefinition;
}

/** The parts that count the requests of a mock and write the counts. */
export interface MockCoverage {
  readonly recorder: CoverageRecorder;
  /** Undefined where no file is written. */
  readonly writer: CoverageWriter | undefined;
  /** Counts the rules of these scenarios from now on. */
  use(scenarios: Scenarios): void;
}
