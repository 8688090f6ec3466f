import type { inspectHandlers } from '../features/inspector/inspect.js';
import type { metricsHandlers } from '../features/metrics/control.js';
import type { scenarioHandlers } from '../features/scenario/control.js';
import type { RecordingSources } from '../features/recording/answer/recording-sources.js';
import { REPLAY_SLOT } from '../features/recording/matching/replay-slot.js';
import type { RequestMetrics } from '../features/metrics/request-metrics.js';
import type { SharedStore } from '../features/redis/shared-store.js';
import { createScenarioSource } from '../features/scenario/answer/scenario.js';
import { createScenarioSlot, type ScenarioParts } from '../features/scenario/session-slot.js';
import type { Interceptions } from '../features/intercept/intercept.js';
import { readMonotonic } from '../base/platform.js';
import type { AnswerSource } from '../answer/chain.js';
import type { Interaction } from '../journal/interaction.js';
import type { Feature } from './feature.js';
import type { MockParts } from './parts.js';

/** The parts that the features of vouch are opened with. */
interface BuiltIn {
  /** The parts that scenarios change, in the version that answers. */
  readonly scenarios: ScenarioParts;
  /** Undefined for a mock without recordings. */
  readonly foreign: RecordingSources | undefined;
  /** Undefined where nothing can read it. */
  readonly metrics: RequestMetrics | undefined;
  readonly interceptions: Interceptions;
  /** State that several processes share. */
  readonly store: SharedStore | undefined;
}

/** The parts that operations of features answer from. */
export type FeatureParts = Parameters<typeof inspectHandlers>[0] &
  Parameters<typeof metricsHandlers>[0] &
  Parameters<typeof scenarioHandlers>[0];

/** Every feature of vouch besides the state that processes share, which has no part in a mock of one process. */
export function listFeatures(
  { scenarios, foreign, metrics, interceptions, store }: BuiltIn,
  parts: () => FeatureParts,
): readonly Feature[] {
  return [
    {
      name: 'interception',
      close: () => interceptions.close(),
    },
    {
      name: 'scenarios',
      slot: createScenarioSlot(scenarios),
      sources: (version) => ({
        scenario: createScenarioSource({
          ...version,
          onRule: version.coverage?.recorder.addRule,
          viewCollections: version.editors.view,
          changeCollections: version.editors.change,
        }),
      }),
      control: { load: async () => (await import('../features/scenario/control.js')).scenarioHandlers(parts()) },
    },
    {
      name: 'recordings',
      slot: REPLAY_SLOT,
      sources: () => Object.fromEntries((foreign?.sources ?? []).map((source) => [source.name, source])),
      control: {
        load: async () => (await import('../features/recording/control.js')).recordingHandlers(foreign?.recordings),
      },
      close: () => foreign?.recordings.close(),
    },
    {
      name: 'inspector',
      control: { load: async () => (await import('../features/inspector/inspect.js')).inspectHandlers(parts()) },
    },
    {
      name: 'metrics',
      // The interaction itself does not know how long it takes until it is written to a store.
      onInteraction: (interaction) =>
        metrics?.add(
          interaction,
          store === undefined ? interaction.elapsedMs : readMonotonic() - interaction.startedAt,
        ),
      control: { load: async () => (await import('../features/metrics/control.js')).metricsHandlers(parts()) },
    },
    {
      name: 'coverage',
      onInteraction: (interaction, { coverage }) => {
        coverage?.recorder.addExchange(interaction);
        coverage?.writer?.touch();
      },
    },
  ];
}

/** The sources of all features by name, in one version of a mock. */
export function collectSources(features: readonly Feature[], parts: MockParts): ReadonlyMap<string, AnswerSource> {
  return new Map(features.flatMap((feature) => Object.entries(feature.sources?.(parts) ?? {})));
}

/** Reports an interaction to all features. */
export function tellFeatures(features: readonly Feature[], parts: MockParts): (interaction: Interaction) => void {
  const notified = features.flatMap(({ onInteraction }) => onInteraction ?? []);
  return (interaction) => {
    for (const notify of notified) notify(interaction, parts);
  };
}

/** Closes all features, in their order. */
export async function closeFeatures(features: readonly Feature[]): Promise<void> {
  await Promise.all(features.map(async ({ close }) => close?.()));
}
