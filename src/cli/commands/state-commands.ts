import type { Command } from 'commander';
import { type DocumentFlags, type Output, readNumber, readWhole, withDocument } from '../flags.js';

/** Adds `resources` and `fixtures` to the program. */
export function addState(program: Command, { write }: Output): void {
  withDocument(program.command('resources').argument('<spec>', 'an OpenAPI document: file or URL'))
    .description('say which operations make one resource, how sure that is and why')
    .option('--json', 'print JSON', false)
    .action(async (spec: string, flags: DocumentFlags & { readonly json: boolean }) => {
      const { runResources } = await import('./resources.js');
      const { json, allowHttpRefs, overlay = [] } = flags;
      process.exitCode = await runResources({ spec, json, allowHttpRefs, overlays: overlay, write });
    });
  const fixtures = program.command('fixtures').description('write fixtures: a starter, or the state of a running mock');
  withDocument(fixtures.command('init').argument('<spec>', 'an OpenAPI document: file or URL'))
    .description('write a starter: a few valid, linked items for every collection')
    .option('--into <folder>', 'where to', 'fixtures')
    .option('--items <n>', 'how many items a collection starts with', readNumber, 3)
    .option('--seed <n>', 'same seed, same items', readWhole, 1)
    .option('--force', 'write over files that are there', false)
    .action(async (spec: string, flags: InitFlags) => {
      const { runFixturesInit } = await import('./fixtures.js');
      const { into, items, seed, force, allowHttpRefs, overlay = [] } = flags;
      const options = { spec, folder: into, items, seed, force, allowHttpRefs, overlays: overlay };
      process.exitCode = await runFixturesInit({ ...options, write });
    });
  fixtures
    .command('export')
    .argument('[url]', 'the address of a running mock', 'http://127.0.0.1:4010')
    .description('write what a running mock holds')
    .option('--into <folder>', 'where to', 'fixtures')
    .option('--session <id>', 'whose state (default: of requests that name no session)')
    .option('--control-token <token>', 'what its control API asks for')
    .option('--control-prefix <path>', 'what the paths of its control API begin with', '/__mock')
    .option('--force', 'write over files that are there', false)
    .action(async (url: string, flags: ExportFlags) => {
      const { runFixturesExport } = await import('./fixtures.js');
      const { into, session, controlToken, controlPrefix, force } = flags;
      process.exitCode = await runFixturesExport({
        url,
        folder: into,
        session,
        controlToken,
        controlPrefix,
        force,
        write,
      });
    });
}

interface InitFlags extends DocumentFlags {
  readonly into: string;
  readonly items: number;
  readonly seed: number;
  readonly force: boolean;
}

interface ExportFlags {
  readonly into: string;
  readonly session?: string;
  readonly controlToken?: string;
  readonly controlPrefix: string;
  readonly force: boolean;
}
