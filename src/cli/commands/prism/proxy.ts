import type { Command } from 'commander';
import { MockError, countOf } from '../../../errors.js';
import { hideUrlSecrets } from '../../../schema/secret-forms.js';
import { addConfigFlags, readSettings } from '../../config.js';
import { addListenFlags, type RecordingFlags, SERVER_OPTIONS, serveRecordings } from '../../listen.js';
import { colour, type Output } from '../../output.js';
import { readTransportSettings } from '../../transport.js';
import { URL } from 'node:url';
import { addOtherFlags, applyOtherFlags, type OtherFlag, PRISM_FLAGS, readBooleans } from './flags.js';

/** Reads the booleans of yargs. */
export const readWords: typeof readBooleans = readBooleans;

const PROXY_FLAGS: readonly OtherFlag[] = [
  ...PRISM_FLAGS,
  {
    flags: '--errors',
    description: 'refuse requests that break the document, and answer 502 if the upstream breaks it',
  },
  { flags: '--validate-request', description: 'check requests, which is the default' },
  {
    flags: '--no-validate-request',
    description: 'with --errors: forward requests that break the document',
  },
];

interface ProxyFlags extends RecordingFlags {
  readonly errors?: boolean;
  readonly validateRequest?: boolean;
}

/** Defines `vouch proxy`: forwards every request, checks it and its answer, and records nothing. */
export function defineCommand(command: Command, output: Output): void {
  command
    .description('forward requests to a real API, and report requests and answers that violate the document')
    .helpOption('--help', 'display help for command')
    .argument('<spec>', 'OpenAPI document: a file or URL')
    .argument('<upstream>', 'base URL of the API');
  addOtherFlags(addConfigFlags(addListenFlags(command)), 'Flags of Prism:', PROXY_FLAGS);
  command.action(async (spec: string, upstream: string) => {
    if (!URL.canParse(upstream)) {
      const hint = 'for example: vouch proxy openapi.yaml https://api.example.com/v1';
      throw new MockError('OPTION_INVALID', `"${hideUrlSecrets(upstream)}" is not a valid URL`, { hint });
    }
    applyOtherFlags(command, PROXY_FLAGS, output);
    const settings = await readSettings(command, SERVER_OPTIONS);
    const flags = { ...command.opts<ProxyFlags>(), ...readTransportSettings(settings.all), ...output, spec, settings };
    await runProxy(flags, upstream);
  });
}

type ProxyOptions = Parameters<typeof serveRecordings>[0] & Pick<ProxyFlags, 'errors' | 'validateRequest'>;

async function runProxy(options: ProxyOptions, upstream: string): Promise<void> {
  const { errors, validateRequest, spec, json } = options;
  const more = {
    'recordings.folder': 'fixtures/recordings',
    'recordings.mode': 'off',
    'recordings.upstream': upstream,
    'recordings.owners': { '*': 'forward-except-501' },
    ...(errors === true && { 'recordings.enforce': validateRequest === false ? 'answers' : 'all' }),
    // Operations that the upstream does not implement are answered as Prism does.
    state: false,
  } as const;
  await serveRecordings(options, more, ({ contract }, baseUrl) => {
    const shown = hideUrlSecrets(upstream);
    if (json === true) return [JSON.stringify({ listening: baseUrl, upstream: shown, spec })];
    return [
      `${colour('bold', contract.title)} ${contract.version}  ${countOf(contract.operations.length, 'operation')}`,
      `upstream ${shown}`,
      `listening on ${colour('bold', baseUrl)}`,
    ];
  });
}
