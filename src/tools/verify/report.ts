import { countOf, formatPlace } from '../../base/errors.js';
import { escapeMarkup } from '../../base/text.js';
import { addTo } from '../../base/json.js';
import { type JunitCase, writeJunit } from '../../base/junit.js';
import type { Contract } from '../../contract/contract.js';
import { type Finding, FINDING_CODES, type Learned, writeCurl } from './finding.js';
import { createVerification, type Verification, type VerifyEvent } from './events.js';

/** What reports say besides the findings. */
export interface ReportContext {
  readonly contract: Pick<Contract, 'locate' | 'title' | 'version'>;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly toolVersion: string;
}

/** The formats of a report. */
export const REPORT_FORMATS = ['text', 'json', 'ndjson', 'junit', 'sarif', 'github', 'html'] as const;

/** The name of a format. */
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Takes the events of a run. @returns the lines of the report to write now, without a line break at the end; undefined for none. */
export type Reporter = (event: VerifyEvent) => string | undefined;

/**
 * Creates what makes a report of events.
 *
 * All formats but `ndjson` are written at the end: how many operations have a cause, and so the order to correct findings in, is not known before.
 */
export function createReporter(format: ReportFormat, context: ReportContext): Reporter {
  if (format === 'ndjson') return (event) => JSON.stringify(toLine(event, context));
  const verification = createVerification();
  return (event) => {
    verification.add(event);
    return event.type === 'end' ? WRITERS[format](verification.read(), context) : undefined;
  };
}

type Writer = (verification: Verification, context: ReportContext) => string;

const WRITERS: Readonly<Record<Exclude<ReportFormat, 'ndjson'>, Writer>> = {
  text: writeText,
  json: writeJsonReport,
  junit: writeJunitReport,
  sarif: writeSarif,
  github: writeGithub,
  html: writeHtml,
};

/** An event with what tools cannot know of a finding: its place, and a command that repeats it. */
function toLine(event: VerifyEvent, context: ReportContext): object {
  return event.type === 'finding' ? { ...event, ...describe(event, context) } : event;
}

function describe({ pointer, request }: Pick<Finding, 'pointer' | 'request'>, context: ReportContext): object {
  return { at: context.contract.locate(pointer), curl: writeCurl(request, context.baseUrl) };
}

const VERDICTS = {
  service: 'the service does not conform to the document',
  document: 'the document does not describe the service',
  unknown: 'cannot tell: the service has a rule that the document lacks, or is wrong',
} as const;

function placeOf({ pointer }: Finding, { contract }: ReportContext): string {
  return formatPlace(contract.locate(pointer));
}

/** Findings in the order to correct them: those of the most operations first. */
function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((one, other) => other.operations.length - one.operations.length);
}

function summarize({ findings, suppressed, verified, skipped, requests, reason }: Verification): string {
  const cut = reason === undefined ? '' : `; ${reason}`;
  const left = skipped.length === 0 ? '' : `, ${skipped.length} skipped`;
  const accepted = suppressed.length === 0 ? '' : `, ${suppressed.length} suppressed`;
  return `${countOf(verified.length, 'operation')} verified${left}, ${countOf(requests, 'request')}: ${countOf(findings.length, 'finding')}${accepted}${cut}`;
}

function writeText(verification: Verification, context: ReportContext): string {
  const findings = sortFindings(verification.findings);
  const blocks = findings.map((finding) => {
    const { code, verdict, operations, message, request, answer } = finding;
    const others = operations.length === 1 ? '' : ` and ${countOf(operations.length - 1, 'other')}`;
    return [
      `${code}  ${operations[0] ?? ''}${others}: ${message}`,
      `    ${placeOf(finding, context)}`,
      `    ${VERDICTS[verdict]}`,
      `    ${writeCurl(request, context.baseUrl)}`,
      ...(answer === '' ? [] : [`    answer: ${answer.replaceAll(/\s+/g, ' ').slice(0, 160)}`]),
    ].join('\n');
  });
  const learned = listFacts(verification.learned);
  const skipped = listFacts(verification.skipped);
  const first = findings[0];
  return [
    ...blocks,
    ...(learned.length === 0 ? [] : [['learned, and no finding:', ...learned].join('\n')]),
    ...(skipped.length === 0 ? [] : [['skipped:', ...skipped].join('\n')]),
    [
      summarize(verification),
      ...(first === undefined
        ? []
        : [`correct first: ${first.code} of ${first.operations[0] ?? ''} (${FINDING_CODES[first.code]})`]),
    ].join('\n'),
  ].join('\n\n');
}

/** Facts as lines, those of many operations in one. */
function listFacts(facts: readonly Learned[]): readonly string[] {
  const byMessage = new Map<string, string[]>();
  for (const { operation, message } of facts) addTo(byMessage, message, operation);
  return [...byMessage].flatMap(([message, operations]) => {
    if (operations.length <= MAX_LISTED) return operations.map((operation) => `  ${operation}: ${message}`);
    return [
      `  ${operations.slice(0, MAX_LISTED).join(', ')} and ${countOf(operations.length - MAX_LISTED, 'other')}: ${message}`,
    ];
  });
}

const MAX_LISTED = 3;

function writeJsonReport(verification: Verification, context: ReportContext): string {
  const findings = sortFindings(verification.findings).map((finding) => ({
    ...finding,
    ...describe(finding, context),
  }));
  return JSON.stringify({ baseUrl: context.baseUrl, ...verification, findings }, null, 2);
}

function writeJunitReport({ findings, skipped, verified }: Verification, context: ReportContext): string {
  const failed = findings.map((finding): JunitCase => {
    const { code: type, message, operations } = finding;
    const text = `${placeOf(finding, context)}\n${writeCurl(finding.request, context.baseUrl)}`;
    return {
      group: operations[0] ?? '',
      name: `${type} ${finding.case}`,
      outcome: { element: 'failure', type, message, text },
    };
  });
  const left = skipped.map(({ operation: group, message }): JunitCase => {
    return { group, name: 'verify', outcome: { element: 'skipped', message } };
  });
  const broken = new Set(findings.flatMap(({ operations }) => operations));
  const passed = verified.filter((id) => !broken.has(id)).map((group): JunitCase => ({ group, name: 'verify' }));
  return writeJunit([{ name: `verify ${context.contract.title}`, cases: [...failed, ...left, ...passed] }]);
}

/** Static Analysis Results Interchange Format 2.1.0, which code hosts show beside the document. */
function writeSarif({ findings, isCut }: Verification, context: ReportContext): string {
  const rules = [...new Set(findings.map(({ code }) => code))].map((id) => {
    return { id, shortDescription: { text: FINDING_CODES[id] } };
  });
  const results = sortFindings(findings).map((finding) => {
    const { file = '', line = 1 } = context.contract.locate(finding.pointer);
    const physicalLocation = { artifactLocation: { uri: file }, region: { startLine: line } };
    const text = `${finding.message}\n${writeCurl(finding.request, context.baseUrl)}`;
    return { ruleId: finding.code, level: 'error', message: { text }, locations: [{ physicalLocation }] };
  });
  const tool = { driver: { name: 'vouch verify', version: context.toolVersion, rules } };
  const $schema = 'https://json.schemastore.org/sarif-2.1.0.json';
  return JSON.stringify(
    { $schema, version: '2.1.0', runs: [{ tool, invocations: [{ executionSuccessful: !isCut }], results }] },
    null,
    2,
  );
}

/** Workflow commands of GitHub Actions, one for each finding. */
function writeGithub(verification: Verification, context: ReportContext): string {
  const escape = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (text: string): string => escape(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const lines = sortFindings(verification.findings).map((finding) => {
    const { file = '', line = 1 } = context.contract.locate(finding.pointer);
    const text = `${finding.operations.join(', ')}: ${finding.message}\n${writeCurl(finding.request, context.baseUrl)}`;
    return `::error file=${property(file)},line=${line},title=${property(finding.code)}::${escape(text)}`;
  });
  return [...lines, summarize(verification)].join('\n');
}

function writeHtml(verification: Verification, context: ReportContext): string {
  const sections = sortFindings(verification.findings).map((finding) => {
    const { code, operations, message, verdict, answer } = finding;
    return `<section><h2>${code} <small>${escapeMarkup(operations.join(', '))}</small></h2>
<p>${escapeMarkup(message)}</p><p>${escapeMarkup(VERDICTS[verdict])} (${escapeMarkup(placeOf(finding, context))})</p>
<pre>${escapeMarkup(writeCurl(finding.request, context.baseUrl))}</pre><pre>${escapeMarkup(answer)}</pre></section>`;
  });
  const { title, version } = context.contract;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeMarkup(`${title}: vouch verify`)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}pre{overflow:auto;background:#f4f4f4;padding:.5rem}small{font-weight:normal}</style>
</head><body><h1>${escapeMarkup(`${title} ${version}`)}</h1><p>${escapeMarkup(`${context.baseUrl}: ${summarize(verification)}`)}</p>
${sections.join('\n')}
</body></html>`;
}
