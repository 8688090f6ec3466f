import type { FeatureCommand } from '../mock/feature.js';

/** Every command, in the order of `vouch --help`; its file is imported only when it is requested. */
export const COMMANDS: Readonly<Record<string, FeatureCommand>> = {
  serve: ['serve a mock of an OpenAPI document', () => import('./commands/serve.js')],
  init: ['set up a folder with a document, fixtures and a first test', () => import('./commands/init.js')],
  config: ['print the settings and where each one comes from', () => import('./commands/config.js')],
  check: ['list the problems of an OpenAPI document', () => import('./commands/check.js')],
  diff: ['list the changes of a document that break clients', () => import('./commands/compare/diff.js')],
  resources: ['show which operations form a resource', () => import('./commands/resources.js')],
  fixtures: ['write fixtures: generated ones, or the state of a running mock', () => import('./commands/fixtures.js')],
  coverage: [
    'report which parts of a document the requests of a run exercised',
    () => import('./commands/coverage.js'),
  ],
  verify: ['check that a service conforms to an OpenAPI document', () => import('./commands/compare/verify.js')],
  pact: ['write the requests of a run as a Pact file', () => import('./commands/pact.js')],
  types: ['write TypeScript types of operations and schemas', () => import('./commands/types.js')],
  schema: ['write JSON Schemas of scenario and fixture files for editors', () => import('./commands/schema.js')],
  record: ['record a real API through a validating proxy', () => import('./commands/recordings/record.js')],
  replay: ['answer from recorded responses only', () => import('./commands/recordings/replay.js')],
  recordings: [
    'check, compare, promote, prune, import and export recordings',
    () => import('./commands/recordings/recordings.js'),
  ],
  import: [
    'convert the files of another mock server, and list where they broke the contract',
    () => import('./commands/import.js'),
  ],
  mcp: ['give coding agents tools for a mock (Model Context Protocol)', () => import('./commands/mcp.js')],
  completion: ['write a script that completes commands and flags in a shell', () => import('./commands/completion.js')],
  'explain-last': ['explain an answer of a running mock', () => import('./commands/explain/explain-last.js')],
  explain: ['explain the code of a violation, problem or error', () => import('./commands/explain/explain.js')],
};
