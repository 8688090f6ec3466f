import { inspectHandlers } from '../features/inspector/inspect.js';
import { metricsHandlers } from '../features/metrics/control.js';
import { recordingHandlers } from '../features/recording/control.js';
import type { Recordings } from '../features/recording/recordings.js';
import { scenarioHandlers } from '../features/scenario/control.js';
import type { ControlHandlers } from '../server/control/routes.js';

type FeatureParts = Parameters<typeof inspectHandlers>[0] &
  Parameters<typeof metricsHandlers>[0] &
  Parameters<typeof scenarioHandlers>[0] & { readonly recordings: Recordings | undefined };

/** The operations that features add to the control API. */
export function createFeatureHandlers(parts: FeatureParts): ControlHandlers {
  return {
    ...metricsHandlers(parts),
    ...scenarioHandlers(parts),
    ...recordingHandlers(parts.recordings),
    ...inspectHandlers(parts),
  };
}
