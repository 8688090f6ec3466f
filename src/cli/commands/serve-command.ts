import { Option, type Command } from 'commander';
import type { MockOptions } from '../../options.js';
import {
  collect,
  type DocumentFlags,
  type ListenFlags,
  type Output,
  readNumber,
  readSize,
  readWhole,
  withDocument,
  withListening,
} from '../flags.js';

/** Adds `serve` to the program. */
export function addServe(program: Command, output: Output): void {
  const serve = program
    .command('serve')
    .argument('[spec]', 'an OpenAPI document: file or URL (default: spec/openapi.yaml)')
    .description('serve a mock of the document');
  withListening(serve);
  withWorld(serve);
  withRules(serve);
  withDocument(serve);
  withControl(serve);
  serve.action(async (spec: string | undefined, flags: ServeFlags) => {
    const { runServe } = await import('./serve.js');
    process.exitCode = await runServe({
      spec,
      port: flags.port,
      host: flags.host,
      fixtures: flags.fixtures === true ? undefined : flags.fixtures,
      scenarios: flags.scenarios === true ? undefined : flags.scenarios,
      watch: flags.watch,
      json: flags.json,
      quiet: flags.quiet,
      mock: readMockOptions(flags),
      ...output,
    });
  });
}

/** What the mock knows: fixtures, scenarios, seed, clock. */
function withWorld(command: Command): void {
  command
    .addOption(
      new Option('--fixtures <folder>', 'one file per collection (default: the folder beside the document)').env(
        'VOUCH_FIXTURES',
      ),
    )
    .option('--no-fixtures', 'start without fixtures')
    .addOption(
      new Option('--scenarios <folder>', 'one file per scenario (default: the folder beside the document)').env(
        'VOUCH_SCENARIOS',
      ),
    )
    .option('--no-scenarios', 'start without scenarios')
    .addOption(
      new Option('--scenario <ids>', 'scenarios to begin with, commas between, the strongest last').env(
        'VOUCH_SCENARIO',
      ),
    )
    .option('--no-watch', 'do not load scenarios again when their files change')
    .addOption(
      new Option('--seed <n>', 'same seed, same requests, same bytes (default: 1)')
        .argParser(readWhole)
        .env('VOUCH_SEED'),
    )
    .addOption(
      new Option('--clock <clock>', '"real", or an instant to stand still at (default: 2026-01-01T00:00:00Z)').env(
        'VOUCH_CLOCK',
      ),
    )
    .addOption(
      new Option('--world <world>', 'whether an id nobody created is a 404, or comes into being').choices([
        'open',
        'closed',
      ]),
    )
    .addOption(
      new Option('--items <n>', 'how many items an open collection begins with (default: 3)').argParser(readNumber),
    )
    .option('--no-state', 'do not remember: answer from examples and schemas alone');
}

/** What is taken and how it is answered. */
function withRules(command: Command): void {
  command
    .option('--token <token>', 'accept this credential only; may be repeated', collect)
    .option('--issued-tokens', 'accept secrets that the mock itself issued', false)
    .option('--strict', 'refuse undeclared query parameters and properties, and a missing content type', false)
    .option('--lenient-accept', 'answer although the Accept header rules it out', false)
    .addOption(
      new Option('--query-profile <profile>', 'how clients write lists and objects in queries').choices([
        'brackets',
        'dots',
        'comma',
        'repeat',
      ]),
    )
    .addOption(
      new Option('--examples <how>', 'serve examples that fit their schemas, or all as they are')
        .choices(['fitting', 'verbatim'])
        .default('fitting'),
    )
    .addOption(new Option('--body-limit <size>', 'larger bodies are refused with 413: 8mb').argParser(readSize))
    .option('--no-cors', 'do not let browsers of other origins read the answers');
}

/** The control API and sessions. */
function withControl(command: Command): void {
  command
    .option('--no-control', 'do not serve the control API')
    .option('--control-prefix <path>', 'what its paths begin with (default: /__mock)')
    .addOption(new Option('--control-token <token>', 'what it asks for').env('VOUCH_CONTROL_TOKEN'))
    .option('--no-control-token', 'do without a token also where other machines can reach it')
    .option('--control-origin <origin>', 'an origin whose pages may use it; may be repeated', collect)
    .option('--require-session', 'a session has to be opened before a request may name it', false)
    .addOption(new Option('--max-sessions <n>', 'how many sessions there may be at once').argParser(readNumber))
    .addOption(new Option('--journal-limit <n>', 'interactions kept for each session').argParser(readNumber));
}

interface ServeFlags extends DocumentFlags, ListenFlags {
  readonly fixtures?: string | boolean;
  readonly scenarios?: string | boolean;
  readonly scenario?: string;
  readonly watch: boolean;
  readonly seed?: number;
  readonly clock?: string;
  readonly state: boolean;
  readonly world?: 'closed' | 'open';
  readonly items?: number;
  readonly token?: readonly string[];
  readonly issuedTokens: boolean;
  readonly strict: boolean;
  readonly lenientAccept: boolean;
  readonly queryProfile?: MockOptions['queryProfile'];
  readonly examples: 'fitting' | 'verbatim';
  readonly bodyLimit?: number;
  readonly cors: boolean;
  readonly control: boolean;
  readonly controlPrefix?: string;
  /** True where neither flag was given. */
  readonly controlToken?: string | boolean;
  readonly controlOrigin?: readonly string[];
  readonly requireSession: boolean;
  readonly maxSessions?: number;
  readonly journalLimit?: number;
}

/** The flags as options of a mock; what was not given is left to its defaults. */
function readMockOptions(flags: ServeFlags): Partial<MockOptions> {
  const { strict, lenientAccept, examples, state, cors, control, requireSession, allowHttpRefs } = flags;
  const given: Partial<MockOptions> = {
    overlays: flags.overlay,
    scenario: flags.scenario,
    seed: flags.seed,
    clock: flags.clock,
    world: flags.world,
    items: flags.items,
    tokens: flags.token,
    issuedTokens: flags.issuedTokens || undefined,
    queryProfile: flags.queryProfile,
    bodyLimitBytes: flags.bodyLimit,
    controlPrefix: flags.controlPrefix,
    controlToken: flags.controlToken === true ? undefined : flags.controlToken,
    controlOrigins: flags.controlOrigin,
    maxSessions: flags.maxSessions,
    journalLimit: flags.journalLimit,
  };
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...present, strict, lenientAccept, examples, state, cors, control, requireSession, allowHttpRefs };
}
