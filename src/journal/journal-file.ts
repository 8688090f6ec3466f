import { MockError } from '../base/errors.js';
import { loadTextFile } from '../base/inside-folder.js';
import { isObject } from '../base/json.js';
import type { PlainInteraction } from './interaction.js';

/** An interaction, and its line in a file. */
export interface JournalLine {
  readonly line: number;
  readonly interaction: PlainInteraction;
}

/** The interactions of a file that `mock.journal.toNdjson()` wrote. @throws MockError `JOURNAL_UNREADABLE`. */
export function readJournalFile(file: string): readonly JournalLine[] {
  const hint = 'write it with mock.journal.toNdjson(), or from GET /__mock/journal?format=ndjson of a running mock';
  const lines = loadTextFile(file, 'JOURNAL_UNREADABLE', { what: 'it', hint })
    .split('\n')
    .map((line, i) => [line.trim(), i + 1] as const);
  return lines
    .filter(([line]) => line !== '')
    .map(([line, number]) => {
      const value = parse(line);
      if (isInteraction(value)) return { line: number, interaction: value };
      const reason = 'the line is not an interaction of a journal';
      throw new MockError('JOURNAL_UNREADABLE', reason, { at: { file, line: number }, hint });
    });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isInteraction(value: unknown): value is PlainInteraction {
  if (!isObject(value) || !Array.isArray(value['trace']) || !Array.isArray(value['violations'])) return false;
  const { request, answer } = value;
  return isObject(request) && isObject(request['headers']) && isObject(answer) && typeof answer['status'] === 'number';
}
