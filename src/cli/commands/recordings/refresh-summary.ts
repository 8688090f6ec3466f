import { countOf } from '../../../base/errors.js';
import type { DriftResult } from '../../../features/recording/drift/drift.js';
import { describeVerdict } from '../../../features/recording/drift/drift-report.js';
import type { Refreshed } from './refresh.js';

/** The cassettes as lines of text: one for each, with its changes below. */
export function formatRefreshed(refreshed: readonly Refreshed[]): readonly string[] {
  const lines = refreshed.flatMap(({ cassette, outcome, why, results }) => {
    const changes = listChanges(results).flatMap(({ request, changes: texts }) => [
      `    ${request}`,
      ...texts.map((text) => `      ${text}`),
    ]);
    return [`${MARKS[outcome]} ${cassette}: ${outcome}, ${why}`, ...changes];
  });
  return [...lines, '', summarize(refreshed)];
}

const MARKS = { replaced: '~', current: '=', kept: '?' } as const;

/** The summary of a pull request: Markdown with a section for each cassette. */
export function toRefreshMarkdown(refreshed: readonly Refreshed[], base: string | undefined): string {
  const from = base === undefined ? '' : ` against ${base}`;
  const sections = refreshed.map(({ cassette, outcome, why, results }) => {
    const rows = listChanges(results).map(({ request, changes }) => {
      return `| \`${escapeCell(request)}\` | ${changes.map(escapeCell).join('<br>')} |`;
    });
    const table = rows.length === 0 ? [] : ['', '| request | what changed |', '| --- | --- |', ...rows];
    return [`## ${cassette}: ${outcome}`, '', `${countOf(results.length, 'request')} sent; ${why}.`, ...table].join(
      '\n',
    );
  });
  return `${[`# Recordings${from}`, summarize(refreshed), ...sections].join('\n\n')}\n`;
}

function summarize(refreshed: readonly Refreshed[]): string {
  const counts = (['replaced', 'kept', 'current'] as const).flatMap((outcome) => {
    const count = refreshed.filter((each) => each.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${outcome}`];
  });
  return `${countOf(refreshed.length, 'cassette')}: ${counts.join(', ')}`;
}

interface Changes {
  readonly request: string;
  readonly changes: readonly string[];
}

/** What changed, by request; a request whose answer is as recorded is not listed. */
function listChanges(results: readonly DriftResult[]): readonly Changes[] {
  return results.flatMap((result) => {
    const { method, target, verdict, reason, differences, live, suggestions } = result;
    if (verdict === 'in-sync') return [];
    const changes = [
      ...differences.map(({ message }) => message),
      ...live.map(({ message }) => `against the document: ${message}`),
      ...suggestions.map((suggestion) => `suggested change of the document: ${suggestion}`),
    ];
    return [
      { request: `${method} ${target}`, changes: changes.length > 0 ? changes : [reason ?? describeVerdict(verdict)] },
    ];
  });
}

/** A string in the cell of a table: without line breaks and columns of its own, and not as HTML. */
function escapeCell(text: string): string {
  return text
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', String.raw`\|`)
    .replaceAll('<', '&lt;');
}
