import { type Command, Option } from 'commander';
import { isObject } from '../../../base/json.js';
import { MockError } from '../../../base/errors.js';
import { describeInteraction, type PlainInteraction } from '../../../journal/interaction.js';
import { addControlFlags, type ControlFlags, requestControl } from '../../control-client.js';
import { readInteger } from '../../flags.js';
import { colour, type Output } from '../../output.js';

interface ExplainLastOptions extends ControlFlags, Pick<Output, 'write'> {
  /** The number of the interaction; default: the last one. */
  readonly id?: number;
  readonly json?: boolean;
}

/** Defines `vouch explain-last`. */
export function defineCommand(command: Command, { write }: Output): void {
  addControlFlags(command, 'read')
    .addOption(new Option('--id <n>', 'number of the interaction (default: the last one)').argParser(readInteger))
    .option('--json', 'print the interaction as JSON')
    .action(async (url: string, flags: Omit<ExplainLastOptions, 'url' | 'write'>) => {
      process.exitCode = await runExplainLast({ url, ...flags, write });
    });
}

/** Prints one interaction with its violations and its trace. @throws MockError `STATE_UNREADABLE`, `OPTION_INVALID`. */
export async function runExplainLast(options: ExplainLastOptions): Promise<number> {
  const { id, json, write } = options;
  const since = id === undefined ? '' : `&since=${Math.max(0, id - 1)}`;
  const { interactions, last } = await requestControl(options, `/journal?limit=1${since}`);
  const found: unknown = Array.isArray(interactions) ? interactions[0] : undefined;
  if (!isInteraction(found) || (id !== undefined && found.number !== id)) {
    const session = options.session ?? 'default';
    throw new MockError(
      'OPTION_INVALID',
      `session "${session}" has no interaction${id === undefined ? '' : ` #${id}`}`,
      {
        hint: typeof last === 'number' && last > 0 ? `its last one is #${last}` : 'it received no request yet',
      },
    );
  }
  write(json === true ? JSON.stringify(found) : describe(found));
  return 0;
}

/** Whether a value of the control API is an interaction; its document says what it has. */
function isInteraction(value: unknown): value is PlainInteraction {
  return isObject(value) && typeof value['number'] === 'number' && Array.isArray(value['trace']);
}

function describe(interaction: PlainInteraction): string {
  const { session, at, elapsedMs, violations, trace, request } = interaction;
  const found = violations.flatMap(({ severity, code, message, by, schemaPointer }) => [
    `  ${colour(severity === 'error' ? 'yellow' : 'gray', code)}  ${message}`,
    colour(
      'gray',
      `      ${severity} of the ${by}${schemaPointer === undefined ? '' : `, declared at #${schemaPointer}`}`,
    ),
  ]);
  return [
    colour('bold', describeInteraction(interaction, request.url)),
    colour('gray', `session ${session}, ${at}, ${elapsedMs} ms`),
    ...(found.length === 0 ? ['violations: none'] : ['violations:', ...found]),
    'trace:',
    ...trace.map((line) => `  ${line.replaceAll('\n', '\n  ')}`),
  ].join('\n');
}
