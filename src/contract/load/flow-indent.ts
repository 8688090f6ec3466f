import { type ParserOptions, parseEvents, YAMLException } from 'js-yaml';

/** YAML in which every line of a flow collection is indented more than its parent, and the lines that were not, from 1. */
interface IndentedText {
  readonly text: string;
  readonly lines: readonly number[];
}

// YAML with more lines that only the parser finds has another mistake, such as a bracket that is never closed.
const MAX_FOUND = 100;

/**
 * Indents the lines of flow collections (`{` … `}`) that YAML 1.2 7.4 wants deeper, most often a bracket that closes at the column of its
 * key. White space has no meaning there, so that the value stays the same. Undefined if the text has another mistake.
 */
export function indentFlowLines(text: string, options: ParserOptions): IndentedText | undefined {
  const rows = text.split('\n');
  const lines = new Set<number>();
  const indent = (line: number): void => {
    const row = rows[line] ?? '';
    const previous = rows.slice(0, line).findLast((other) => other.trim() !== '') ?? '';
    rows[line] = ' '.repeat(Math.max(1, readIndent(previous) + 1 - readIndent(row))) + row;
    lines.add(line);
  };
  for (const line of findClosingLines(rows)) indent(line);
  for (let found = 0; found <= MAX_FOUND; found++) {
    try {
      parseEvents(rows.join('\n'), options);
      return { text: rows.join('\n'), lines: [...lines].sort((x, y) => x - y).map((line) => line + 1) };
    } catch (error) {
      const line = error instanceof YAMLException && isFlowIndent(error) ? error.mark?.line : undefined;
      if (line === undefined) return undefined;
      indent(line);
    }
  }
  return undefined;
}

/** Whether a parser stopped at a line of a flow collection that is not indented enough. */
export function isFlowIndent(error: unknown): boolean {
  return error instanceof YAMLException && error.reason === 'deficient indentation';
}

/**
 * The lines with only closing brackets at the column of the line that opened them, such as `key: {`: there are hundreds of them in some
 * documents, and the parser finds one at a time. Lines of block scalars (`|`, `>`), whose white space is their value, are left out.
 */
function findClosingLines(rows: readonly string[]): readonly number[] {
  const closing: number[] = [];
  let opened: { readonly indent: number } | undefined;
  let scalarIndent: number | undefined;
  for (const [line, row] of rows.entries()) {
    if (row.trim() === '') continue;
    const indent = readIndent(row);
    if (scalarIndent !== undefined && indent > scalarIndent) continue;
    scalarIndent = undefined;
    if (opened === undefined) {
      if (/[|>][-+\d]{0,2}\s*(?:\s#.*)?$/u.test(row)) scalarIndent = indent;
      else if (/^\s*[^\s#].*:\s+[{[]\s*$/u.test(row)) opened = { indent };
    } else if (indent <= opened.indent) {
      if (/^\s*[}\]]/u.test(row)) closing.push(line);
      opened = undefined;
    }
  }
  return closing;
}

function readIndent(row: string): number {
  return /^ */u.exec(row)?.[0].length ?? 0;
}
