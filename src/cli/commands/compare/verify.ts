import { type Command, InvalidArgumentError, Option } from 'commander';
import { constants } from 'node:os';
import { URL } from 'node:url';
import { MockError, suggestId, toReason } from '../../../base/errors.js';
import { isRequest } from '../../../base/platform.js';
import { readVersion } from '../../../base/package-folder.js';
import type { Contract } from '../../../contract/contract.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { createVerifyContext, type VerifyContext } from '../../../tools/verify/context.js';
import {
  compareFindings,
  createIsSuppressed,
  listExpired,
  readFindings,
  readSuppressions,
  storeFindings,
} from '../../../tools/verify/known-findings.js';
import { readRecordedRequests } from '../../../tools/verify/recorded-cases.js';
import { createReporter, REPORT_FORMATS, type ReportContext, type ReportFormat } from '../../../tools/verify/report.js';
import { readScenarioRequests } from '../../../tools/verify/scenario-cases.js';
import type { Verification, VerifyEvent } from '../../../tools/verify/events.js';
import { createTarget, type Target, type TargetOptions } from '../../../tools/verify/target.js';
import { verifyService } from '../../../tools/verify/verify.js';
import { addDocument, type DocumentFlags, loadDocument } from '../../document.js';
import { collect, collectHeader, readInteger, readNumber } from '../../flags.js';
import { loadModule, readExports } from '../../load-module.js';
import { openOutputFile, type Output } from '../../output.js';
import { waitForSignal } from '../../transport.js';
import { clearProgress, showProgress } from './progress.js';

interface VerifyFlags extends DocumentFlags, Output {
  readonly baseUrl: string;
  readonly allowUnsafe?: boolean;
  readonly header?: Readonly<Record<string, string>>;
  readonly operation?: readonly string[];
  readonly exclude?: readonly string[];
  readonly seed: number;
  readonly rate?: number;
  readonly timeout: number;
  readonly budget: number;
  readonly suppressions?: string;
  readonly findings?: string;
  readonly replay?: string;
  readonly hooks?: string;
  readonly recordings?: string;
  readonly scenarios?: string;
  readonly format: ReportFormat;
  readonly out?: string;
  readonly report?: readonly NamedReport[];
}

/** A report in a file. */
interface NamedReport {
  readonly format: ReportFormat;
  readonly file: string;
}

/** Defines `vouch verify`. */
export function defineCommand(command: Command, output: Output): void {
  addDocument(command, output, runVerify)
    .requiredOption('--base-url <url>', 'base URL of the service, with the base path of the operations', readBaseUrl)
    .option('--allow-unsafe', 'send requests that may change something, and remove what they make')
    .option('--header <line>', 'header to send, such as a credential, as "name: value"; repeatable', collectHeader)
    .option('--operation <id>', 'verify only this operation; repeatable', collect)
    .option('--exclude <id>', 'leave out this operation; repeatable', collect)
    .option('--seed <n>', 'seed of generated values; the same seed sends the same requests', readInteger, 1)
    .option('--rate <n>', 'requests per second (default: no limit)', readNumber)
    .option('--timeout <ms>', 'milliseconds to wait for an answer', readNumber, 30_000)
    .option('--budget <seconds>', 'seconds after which nothing is sent any more', readNumber, 600)
    .option('--hooks <file>', 'JavaScript or TypeScript module with a function beforeRequest that changes each request')
    .option('--recordings <folder>', 'recording, or folder of recordings, whose requests are sent again')
    .option('--scenarios <folder>', 'folder of scenarios; the requests that their rules match are sent')
    .option('--suppressions <file>', 'YAML or JSON file of accepted findings, each with a reason and an end date')
    .option('--findings <file>', 'file to write the findings to, for --replay')
    .option('--replay <file>', 'send only the operations of earlier findings, and say which are fixed')
    .addOption(new Option('--format <format>', 'output format').choices(REPORT_FORMATS).default('text'))
    .option('--out <file>', 'file to write the report to (default: standard output)')
    .option('--report <format=file>', 'another report, in a file: junit=verify.xml; repeatable', collectReport);
}

function collectReport(text: string, previous: readonly NamedReport[] = []): readonly NamedReport[] {
  const [, name, file = ''] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  const format = REPORT_FORMATS.find((each) => each === name);
  if (format !== undefined) return [...previous, { format, file }];
  throw new InvalidArgumentError(
    `It must be a format and a file, such as junit=verify.xml. Formats: ${REPORT_FORMATS.join(', ')}.`,
  );
}

function readBaseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new InvalidArgumentError('It must be an http or https URL: https://api.example.com/v1.');
  const { username, password, search, hash } = new URL(text);
  if (username + password + search + hash === '') return text.replace(/\/$/, '');
  const hint = 'give only its origin and path, and credentials with --header "authorization: Basic …"';
  // The URL is not quoted because it may contain a credential.
  throw new MockError('OPTION_INVALID', 'a --base-url has no user, query or fragment', { hint });
}

/** Verifies a service. @returns the exit code: 1 if there are findings, 2 if nothing could be verified, that of the signal after one. */
async function runVerify(flags: VerifyFlags): Promise<number> {
  const contract = await loadDocument(flags);
  const earlier = flags.replay === undefined ? undefined : readFindings(flags.replay);
  const suppressions = flags.suppressions === undefined ? [] : readSuppressions(flags.suppressions);
  const credentials = readCredentials(contract);
  const target = createTarget({
    baseUrl: flags.baseUrl,
    headers: { ...credentials.headers, ...flags.header },
    query: credentials.query,
    rate: flags.rate ?? Infinity,
    timeoutMs: flags.timeout,
    budgetMs: flags.budget * 1000,
    beforeRequest: await loadHook(flags.hooks),
  });
  const includes = createFilter(contract, {
    ...flags,
    operation:
      flags.operation ?? earlier?.flatMap(({ operations }) => operations).filter((id) => contract.operation(id)),
  });
  const context = createVerifyContext(contract, flags.seed);
  const given = await readGiven(flags, context);
  const consumers = openReports(flags, { contract, baseUrl: flags.baseUrl, toolVersion: readVersion() });
  const options = {
    allowUnsafe: flags.allowUnsafe === true,
    includes,
    ...given,
    isSuppressed: createIsSuppressed(suppressions, Date.now()),
    onEvent: (event: VerifyEvent) => consumers.forEach((consume) => consume(event)),
  };
  const stopped = stopAtSignal(target, flags);
  const verification = await verifyService(context, target, options).catch(readUnreachable);
  if (verification instanceof MockError) {
    flags.writeError(verification.toString());
    return 2;
  }
  const say = flags.format === 'text' && flags.out === undefined ? flags.write : flags.writeError;
  if (flags.findings !== undefined) storeFindings(flags.findings, verification.findings);
  for (const { reason, until = '' } of listExpired(suppressions, Date.now()))
    say(`a suppression has expired on ${until}: ${reason}`);
  for (const { finding, state } of earlier === undefined ? [] : compareFindings(earlier, verification, contract)) {
    say(`${state}: ${finding.code} of ${finding.operations[0] ?? ''}: ${finding.message}`);
  }
  return stopped.exit ?? readExit(verification, target);
}

function readExit({ findings, verified }: Verification, { isLost }: Target): number {
  if (isLost) return 2;
  if (findings.length > 0) return 1;
  return verified.length === 0 ? 2 : 0;
}

/** Opens what gets the events: the line that shows how far the run is, and each report. @throws MockError `OPTION_INVALID`. */
function openReports(
  { format, out, report = [], write }: VerifyFlags,
  context: ReportContext,
): readonly ((event: VerifyEvent) => void)[] {
  const files = [...report, ...(out === undefined ? [] : [{ format, file: out }])];
  const outputs = files.map((each) => {
    const writePart = openOutputFile(each.file);
    return { format: each.format, write: (lines: string): void => writePart(`${lines}\n`) };
  });
  if (out === undefined) outputs.push({ format, write });
  const reports = outputs.map((each) => {
    const reporter = createReporter(each.format, context);
    return (event: VerifyEvent): void => {
      const lines = reporter(event);
      if (lines !== undefined) each.write(lines);
    };
  });
  // Events on the terminal show how far the run is.
  const isStreamed = format === 'ndjson' && out === undefined && process.stdout.isTTY;
  return process.stderr.isTTY && !isStreamed ? [showProgress(), ...reports] : reports;
}

/** Ends the run at a signal; the report is still written. A second signal ends the process. */
function stopAtSignal(target: Target, { writeError }: Output): { readonly exit: number | undefined } {
  const stopped: { exit: number | undefined } = { exit: undefined };
  void waitForSignal().then((signal) => {
    stopped.exit = 128 + constants.signals[signal];
    target.stop(`it was interrupted (${signal})`);
    clearProgress();
    writeError('interrupted: what was created is removed, and the report is written; a second signal ends at once');
  });
  return stopped;
}

/** The requests of recordings and scenarios. */
async function readGiven(
  { recordings, scenarios }: VerifyFlags,
  context: VerifyContext,
): Promise<Awaited<ReturnType<typeof readRecordedRequests>>> {
  const recorded =
    recordings === undefined ? { given: [], skipped: [] } : await readRecordedRequests(recordings, context);
  const answered = scenarios === undefined ? [] : readScenarioRequests(scenarios, context);
  return { ...recorded, given: [...recorded.given, ...answered] };
}

/** @throws the error where it is another one than that of a service that cannot be reached. */
function readUnreachable(error: unknown): MockError {
  if (error instanceof MockError && error.code === 'SERVICE_UNREACHABLE') return error;
  throw error;
}

/** The credentials of the environment: `VOUCH_CREDENTIAL_<SCHEME>` for each security scheme of the document; of HTTP Basic `user:password`. */
function readCredentials({ securitySchemes }: Contract): Required<Pick<TargetOptions, 'headers' | 'query'>> {
  const headers: Record<string, string> = {};
  const query: Record<string, string> = {};
  for (const [name, { type, scheme = '', in: place, key = name }] of Object.entries(securitySchemes)) {
    const value = process.env[`VOUCH_CREDENTIAL_${name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|\W+/g, '_').toUpperCase()}`];
    if (value === undefined) continue;
    if (type !== 'apiKey')
      headers['authorization'] = scheme.toLowerCase() === 'basic' ? `Basic ${btoa(value)}` : `Bearer ${value}`;
    else if (place === 'header') headers[key.toLowerCase()] = value;
    else if (place === 'cookie') headers['cookie'] = `${key}=${value}`;
    else query[key] = value;
  }
  return { headers, query };
}

function createFilter(
  { operations }: Contract,
  { operation: only, exclude = [] }: Pick<VerifyFlags, 'exclude' | 'operation'>,
): (operation: Operation) => boolean {
  const ids = operations.map(({ id }) => id);
  const unknown = [...(only ?? []), ...exclude].find((id) => !ids.includes(id));
  if (unknown !== undefined) {
    const hint = suggestId(unknown, ids);
    throw new MockError(
      'OPERATION_UNKNOWN',
      `the document has no operation "${unknown}"`,
      hint === undefined ? {} : { hint },
    );
  }
  return ({ id }) => (only === undefined || only.includes(id)) && !exclude.includes(id);
}

async function loadHook(file: string | undefined): Promise<TargetOptions['beforeRequest']> {
  if (file === undefined) return undefined;
  const at = { file };
  const hook: unknown = readExports(await loadModule(file, 'the hooks')).find(
    ([name]) => name === 'beforeRequest',
  )?.[1];
  if (typeof hook !== 'function')
    throw new MockError('OPTION_INVALID', 'the module exports no function beforeRequest', { at });
  return async (request) => {
    let changed: unknown;
    try {
      changed = (await hook(request)) ?? request;
    } catch (cause) {
      throw new MockError('OPTION_INVALID', `beforeRequest failed: ${toReason(cause)}`, { at, cause });
    }
    if (isRequest(changed)) return changed;
    throw new MockError('OPTION_INVALID', 'beforeRequest must return a Request or nothing', { at });
  };
}
