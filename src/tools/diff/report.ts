import { countOf, formatPlace, type Place } from '../../base/errors.js';
import { SEVERITIES, type Severity } from './change.js';
import type { ContractDiff, DiffFinding } from './diff.js';
import type { FileBreak } from './files/file-break.js';

/** All that is said about a change of a document. */
export interface DiffReport extends ContractDiff {
  /** The titles and versions of both documents. */
  readonly old: DocumentName;
  readonly new: DocumentName;
  /** The files that kept the old contract and break the new one. */
  readonly breaks: readonly FileBreak[];
  /** The number of files and folders that were checked. */
  readonly checked: number;
  /** How many calls in them are in neither contract. */
  readonly outside: number;
}

/** A document, as reports name it. */
export interface DocumentName {
  readonly spec: string;
  readonly title: string;
  readonly version: string;
}

/** How a report is written. */
export interface ReportStyle {
  /** Whether compatible changes are listed, too. */
  readonly all: boolean;
  /** Shows the path of a file. */
  showPath(path: string): string;
  /** Colours text. */
  paint(severity: Severity | 'title', text: string): string;
}

/** More operations than this are counted instead of named. */
const MAX_NAMED = 3;

/** Writes a report as lines of text: the summary, then the changes by operation, then the files. */
export function formatDiff(report: DiffReport, style: ReportStyle): readonly string[] {
  const lines = [style.paint('title', summarize(report)), summarizeCounts(report), ...describeOutside(report)];
  for (const [operation, findings] of groupFindings(report.findings, style)) {
    lines.push('', style.paint('title', operation));
    for (const finding of findings) {
      const { severity, code, message, old, new: now } = finding;
      const place = `${toShortPlace(old, style)} -> ${toShortPlace(now, style)}`;
      lines.push(`  ${style.paint(severity, severity.padEnd(10))}  ${describeSide(finding)}: ${message} (${code})`);
      lines.push(`              ${place}${describeOthers(finding)}`);
    }
  }
  if (report.breaks.length > 0) lines.push('', style.paint('title', describeBreaks(report)));
  return [...lines, ...formatBreaks(report.breaks, style)];
}

/** Writes places in files as lines of text. */
export function formatBreaks(
  breaks: readonly FileBreak[],
  style: Pick<ReportStyle, 'paint' | 'showPath'>,
): readonly string[] {
  return breaks.flatMap(({ kind, at, message, repair }) => [
    `  ${style.paint('breaking', kind.padEnd(10))}  ${formatPlace(showFile(at, style))}: ${message}`,
    `              repair: ${repair}`,
  ]);
}

function summarize({ old, new: now }: DiffReport): string {
  const names = [old, now].map(({ title, version }) => `${title} ${version}`);
  return `${names[0] ?? ''} -> ${names[1] ?? ''}`;
}

function summarizeCounts({ counts, findings, breaks, checked }: DiffReport): string {
  const words = SEVERITIES.map((severity) => `${counts[severity]} ${severity}`).join(', ');
  const found = findings.length === 0 ? 'no changes' : `${countOf(findings.length, 'change')}: ${words}`;
  if (checked === 0) return found;
  if (breaks.length === 0) return `${found}; the new contract accepts all that the old one accepted of the given files`;
  return `${found}; ${countOf(breaks.length, 'place')} in the given files to repair`;
}

function describeOutside({ outside }: DiffReport): readonly string[] {
  if (outside === 0) return [];
  return [
    `${countOf(outside, 'call')} in the given files ${outside === 1 ? 'matches' : 'match'} no operation of either document`,
  ];
}

function describeBreaks({ breaks }: DiffReport): string {
  return `these files kept the old contract and break the new one in ${countOf(breaks.length, 'place')}`;
}

/** `clients send` or `clients receive`. */
function describeSide({ direction, code }: DiffFinding): string {
  if (direction === 'response') return 'clients receive';
  return ['OPERATION_REMOVED', 'PATH_REMOVED', 'OPERATION_ADDED'].includes(code) ? 'clients call' : 'clients send';
}

function describeOthers({ operations }: DiffFinding): string {
  const others = operations.slice(1);
  if (others.length === 0) return '';
  return `; also in ${others.length > MAX_NAMED ? countOf(others.length, 'other operation') : others.join(', ')}`;
}

function groupFindings(
  findings: readonly DiffFinding[],
  { all }: ReportStyle,
): ReadonlyMap<string, readonly DiffFinding[]> {
  const groups = new Map<string, DiffFinding[]>();
  for (const finding of findings) {
    if (finding.severity === 'compatible' && !all) continue;
    const operation = finding.operations[0] ?? 'the document';
    groups.set(operation, [...(groups.get(operation) ?? []), finding]);
  }
  return groups;
}

function showFile(place: Place, { showPath }: Pick<ReportStyle, 'showPath'>): Place {
  return place.file === undefined ? place : { ...place, file: showPath(place.file) };
}

function toShortPlace(place: Place, style: ReportStyle): string {
  const { file, line, pointer = '' } = showFile(place, style);
  if (file === undefined) return `#${pointer}`;
  return line === undefined ? file : `${file}:${line}`;
}

/** Writes a report as Markdown, for a pull request. */
export function formatMarkdown(report: DiffReport, style: ReportStyle): readonly string[] {
  const lines = [`### ${summarize(report)}`, '', summarizeCounts(report), ...describeOutside(report)];
  const groups = groupFindings(report.findings, style);
  if (groups.size > 0) lines.push('', '| | operation | change | old | new |', '| --- | --- | --- | --- | --- |');
  for (const [operation, findings] of groups) {
    for (const finding of findings) {
      const change = `${describeSide(finding)}: ${finding.message} (${finding.code})`;
      const places = [finding.old, finding.new].map((place) => toCell(toShortPlace(place, style)));
      const cells = [finding.severity, `\`${operation}\`${describeOthers(finding)}`, toCell(change), ...places];
      lines.push(`| ${cells.join(' | ')} |`);
    }
  }
  if (report.breaks.length > 0) lines.push('', `${describeBreaks(report)}:`, '');
  for (const { kind, at, message, repair } of report.breaks)
    lines.push(`- ${kind} \`${formatPlace(showFile(at, style))}\`: ${toCell(message)}; ${toCell(repair)}`);
  return lines;
}

/** Text in a cell of a table. */
function toCell(text: string): string {
  return text.replaceAll(/[\\|<]/g, String.raw`\$&`).replaceAll('\n', ' ');
}

/** Writes a report as one JSON object. */
export function toDiffJson({ old, new: now, counts, findings, breaks, outside }: DiffReport): string {
  return JSON.stringify({ old, new: now, counts, findings, breaks, outside }, undefined, 2);
}
