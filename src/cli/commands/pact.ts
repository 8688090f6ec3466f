import { type Command, Option } from 'commander';
import { readParts } from '../../mock/contract-parts.js';
import { countOf } from '../../base/errors.js';
import type { PlainInteraction } from '../../journal/interaction.js';
import { readJournalFile } from '../../journal/journal-file.js';
import { checkPact } from '../../tools/diff/files/check-files.js';
import { formatBreaks } from '../../tools/diff/report.js';
import { createParts } from './recordings/parts.js';
import { writePact } from '../../tools/pact/pact.js';
import { addControlOptions, type ControlFlags, requestControl } from '../control-client.js';
import { addDocument, type DocumentFlags, loadDocument } from '../document.js';
import { colour, type Output, showPath, writeOutputFile } from '../output.js';

interface PactFlags extends DocumentFlags, Omit<ControlFlags, 'url'> {
  /** An NDJSON file, or the address of a running mock. */
  readonly journal: string;
  readonly consumer: string;
  readonly provider: string;
  readonly pactVersion: '3' | '4';
  readonly basePath?: string;
  /** The file to write; default: print it. */
  readonly output?: string;
}

/** Defines `vouch pact`. */
export function defineCommand(command: Command, output: Output): void {
  addDocument(command, output, (options: PactFlags & Output) => {
    // A flag that is mandatory here would be one of the subcommand as well.
    for (const name of ['journal', 'consumer', 'provider'] as const)
      if (options[name] === undefined) command.error(`error: required option '--${name}' not specified`);
    return runPact(options);
  })
    .option('--journal <source>', 'NDJSON file of a journal, or address of a running mock')
    .option('--consumer <name>', 'name of the client')
    .option('--provider <name>', 'name of the API')
    .addOption(
      new Option('--pact-version <version>', 'version of the Pact specification').choices(['3', '4']).default('3'),
    )
    .option('--base-path <path>', 'prefix of all paths in the file (default: none)')
    .option('-o, --output <file>', 'file to write (default: print to standard output)');
  addControlOptions(command, 'read');
  command
    .command('check <pact> <spec>')
    .description('list what a Pact file has that the document refuses; exit code 1 if there is any')
    .option('--json', 'print JSON')
    .action(async (file: string, spec: string, flags: { readonly json?: boolean }) => {
      process.exitCode = await runCheck({ file, spec, ...flags, ...output });
    });
}

/** The arguments and flags of `vouch pact check`. */
interface CheckOptions extends Output {
  readonly file: string;
  readonly spec: string;
  readonly json?: boolean;
}

/** Checks a Pact file against a document. @returns the exit code: 1 if the document refuses a part of it. */
async function runCheck({ file, spec, json = false, write }: CheckOptions): Promise<number> {
  const contract = await loadDocument({ spec }, { 'document.cacheFolder': false });
  const breaks = await checkPact(file, createParts(contract));
  if (json) write(JSON.stringify({ file, spec, breaks }, undefined, 2));
  else {
    const count = breaks.length === 0 ? 'all valid' : countOf(breaks.length, 'place');
    const style = { showPath, paint: (_: unknown, text: string) => colour('red', text) };
    write(
      [`${showPath(file)} with ${contract.title} ${contract.version}: ${count}`, ...formatBreaks(breaks, style)].join(
        '\n',
      ),
    );
  }
  return breaks.length === 0 ? 0 : 1;
}

/** Writes a Pact file. @throws MockError `STATE_UNREADABLE`, `JOURNAL_UNREADABLE`. */
async function runPact(options: PactFlags & Output): Promise<number> {
  const { journal, consumer, provider, pactVersion, basePath, output: file, write, writeError } = options;
  const { contract } = readParts(await loadDocument(options), false);
  const isAddress = /^https?:\/\//.test(journal);
  const { interactions, notes } = isAddress
    ? await readRunning({ ...options, url: journal })
    : { interactions: readJournalFile(journal).map(({ interaction }) => interaction), notes: [] };
  const { pact, notes: more } = writePact(contract, interactions, {
    consumer,
    provider,
    version: pactVersion === '4' ? 4 : 3,
    ...(basePath !== undefined && { basePath }),
  });
  for (const note of [...notes, ...more]) writeError(colour('yellow', note));
  const text = JSON.stringify(pact, undefined, 2);
  if (file === undefined) {
    write(text);
    return 0;
  }
  writeOutputFile(file, `${text}\n`);
  write(`${showPath(file)}  ${countOf(pact.interactions.length, 'interaction')} between ${consumer} and ${provider}`);
  return 0;
}

interface ReadJournal {
  readonly interactions: readonly PlainInteraction[];
  readonly notes: readonly string[];
}

async function readRunning(flags: ControlFlags): Promise<ReadJournal> {
  const { interactions, dropped } = await requestControl(flags, '/journal?limit=1000000');
  // The control API answers with the journal that its document describes.
  const list = (Array.isArray(interactions) ? interactions : []) as readonly PlainInteraction[];
  const missing = `older calls are missing (${String(dropped)}): the journal was full, see --journal-limit`;
  return { interactions: list, notes: dropped === 0 ? [] : [missing] };
}
