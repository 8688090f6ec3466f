import type { Command } from 'commander';
import type { AnswerSource } from '../answer/chain.js';
import type { Interaction } from '../journal/interaction.js';
import type { FeatureOperations } from '../server/control/control.js';
import type { SessionSlot } from '../session/session.js';
import type { OptionEntry } from './options-table.js';
import type { MockParts } from './parts.js';

/** A capability that a mock can have and the core does not know: a kind of feature is opened once for each mock. */
export interface FeatureKind {
  readonly name: string;
  /** Its own options by name; options of the features of vouch are rows of `options-table.ts`. */
  readonly options?: Readonly<Record<string, OptionEntry>>;
  /** Its commands of the command line by name; commands of the features of vouch are rows of `cli/command-table.ts`. */
  readonly commands?: Readonly<Record<string, FeatureCommand>>;
  open(context: FeatureContext): Feature;
}

/** A summary for `vouch --help`, and a function that adds the description, arguments, flags, subcommands and actions of the command. */
export type FeatureCommand = readonly [
  summary: string,
  load: () => Promise<{
    readonly defineCommand: (
      command: Command,
      output: { write(line: string): void; writeError(line: string): void },
    ) => void;
  }>,
];

/** The parts of a mock that a feature can read. */
export interface FeatureContext {
  /** The values of its own options, with their defaults. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The parts of the version of the mock that answers now: after a reload they are others. */
  current(): MockParts;
}

/** A feature of one mock. */
export interface Feature {
  readonly name: string;
  /** The state that it keeps for each session: created, reset, snapshotted and restored with it. */
  readonly slot?: SessionSlot | undefined;
  /** Answer sources by name, for each version of the contract. `listSources` gives each its place; one that it does not know comes before `state`. */
  sources?(parts: MockParts): Readonly<Record<string, AnswerSource>>;
  /** Called with each interaction once it is answered. @param parts - The parts of the version that answered. */
  onInteraction?(interaction: Interaction, parts: MockParts): void;
  /** Its operations of the control API. */
  readonly control?: FeatureOperations | undefined;
  close?(): void | Promise<void>;
}
