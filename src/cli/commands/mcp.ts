import type { Command } from 'commander';
import { MockError } from '../../base/errors.js';
import { openMock } from '../../mock/mock.js';
import { nestOptions } from '../../mock/read-options.js';
import { addControlOptions, type ControlFlags } from '../control-client.js';
import type { DocumentFlags } from '../document.js';
import { addOptionFlags, DOCUMENT_OPTIONS, findFolder, readOptionFlags } from '../flags.js';
import { answerMessages } from '../mcp/messages.js';
import { TOOLS } from '../mcp/tools.js';
import type { Output } from '../output.js';

interface McpOptions extends Omit<ControlFlags, 'url'>, Omit<DocumentFlags, 'spec'>, Pick<Output, 'write'> {
  /** The document of a mock to start, instead of connecting to one. */
  readonly spec?: string | undefined;
  /** The address of a running mock. */
  readonly url?: string;
  /** The messages of the client. */
  readonly input: AsyncIterable<Uint8Array>;
}

/** Defines `vouch mcp`. */
export function defineCommand(command: Command, { write }: Output): void {
  command
    .argument('[spec]', 'OpenAPI document of a mock to start: a file or URL (default: connect to a running mock)')
    .option('--url <url>', 'address of a running mock (default: http://127.0.0.1:4010)');
  addOptionFlags(addControlOptions(command, 'use'), DOCUMENT_OPTIONS).action(
    async (spec: string | undefined, flags: Omit<McpOptions, 'spec' | 'input' | 'write'>) => {
      await runMcp({ ...flags, spec, input: process.stdin, write });
    },
  );
}

/** Answers the messages of a client until it closes the input; a mock that was started ends with it. @throws MockError `OPTION_INVALID`, and as `createMock`. */
export async function runMcp(options: McpOptions): Promise<void> {
  const { spec, url = 'http://127.0.0.1:4010', session: usual, input, write } = options;
  if (spec === undefined) return answer(url);
  if (options.url !== undefined) {
    const hint = 'a document starts a mock, --url connects to one that runs';
    throw new MockError('OPTION_INVALID', 'a document and --url cannot be used together', { hint });
  }
  await using mock = await openMock(toMockOptions(options, spec));
  const server = await mock.listen({ port: 0 });
  await answer(server.url);

  function answer(at: string): Promise<void> {
    const flags = { ...options, url: at };
    const call: Parameters<typeof answerMessages>[1]['call'] = (tool, { session = usual, ...given }) =>
      // It was checked with the other arguments.
      tool.run(given, { ...flags, ...(session !== undefined && { session: session as string }) });
    return answerMessages(input, { tools: TOOLS, call }, write);
  }
}

function toMockOptions({ controlToken, controlPrefix, ...flags }: McpOptions, spec: string): object {
  const fixtures = findFolder(spec, 'fixtures');
  const token = controlToken ?? process.env['VOUCH_CONTROL_TOKEN'];
  return nestOptions({
    ...readOptionFlags(flags, DOCUMENT_OPTIONS),
    spec,
    ...(fixtures !== undefined && { fixtures }),
    'scenarios.from': findFolder(spec, 'scenarios') ?? {},
    ...(controlPrefix !== undefined && { 'control.prefix': controlPrefix }),
    ...(token !== undefined && { 'control.token': token }),
    watch: true,
  });
}
