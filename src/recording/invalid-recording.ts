import { MockError, type Place } from '../errors.js';
import { readJson } from './exact-json.js';

/** A mistake in a cassette's file. */
export function invalidRecording(message: string, at: Place, hint?: string): MockError {
  return new MockError('RECORDING_INVALID', message, hint === undefined ? { at } : { at, hint });
}

/** The JSON value of a cassette's file. @throws MockError `RECORDING_INVALID` with the line where the text stops being JSON. */
export function readJsonFile(text: string, file: string): unknown {
  try {
    return readJson(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new MockError('RECORDING_INVALID', `not a JSON file: ${toReason(message)}`, {
      at: { file, ...toLineAndColumn(text, readOffset(message, text)) },
      hint: 'the file was edited or cut off; restore it, or delete it and record again',
      cause,
    });
  }
}

/** V8 quotes the text around the mistake, which says nothing once the line is known. */
function toReason(message: string): string {
  return message.replace(/,? (?:\.\.\.)?"[\s\S]*$/, '').replace(/ in JSON at position \d+.*$/, '');
}

function readOffset(message: string, text: string): number {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  // Node 20: `Unexpected token '}', ..."  "a": }" is not valid JSON`: the snippet ends or is centred at the mistake.
  const [, token = '', snippet = ''] =
    /^Unexpected token '?(.+?)'?, (?:\.\.\.)?"([\s\S]*?)"(?:\.\.\.)? is not valid/.exec(message) ?? [];
  const start = snippet === '' ? -1 : text.indexOf(snippet);
  if (start === -1) return text.length;
  const inside = snippet.lastIndexOf(token);
  return start + (inside === -1 ? 0 : inside);
}

function toLineAndColumn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}
