import { type Command, Option } from 'commander';
import { readParts } from '../../mock/contract-parts.js';
import { countOf } from '../../base/errors.js';
import type { PlainInteraction } from '../../journal/interaction.js';
import { readJournalFile } from '../../journal/journal-file.js';
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
  addDocument(command, output, runPact)
    .requiredOption('--journal <source>', 'NDJSON file of a journal, or address of a running mock')
    .requiredOption('--consumer <name>', 'name of the client')
    .requiredOption('--provider <name>', 'name of the API')
    .addOption(
      new Option('--pact-version <version>', 'version of the Pact specification').choices(['3', '4']).default('3'),
    )
    .option('--base-path <path>', 'prefix of all paths in the file (default: none)')
    .option('-o, --output <file>', 'file to write (default: print to standard output)');
  addControlOptions(command, 'read');
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
