/** A part of the report: its rows are text and figures. */
export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Sentences below the table. */
  readonly notes?: readonly string[];
}

/** Writes a table; columns of text are aligned left and columns of figures right. */
export function formatTable({ title, head, rows, notes = [] }: Table): string {
  const columns = head.map((name, column) => ({
    width: Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)),
    isFigures: rows.every((row) => /^[\d.]*$/u.test(row[column] ?? '')),
  }));
  const lines = [head, ...rows].map((row) =>
    columns
      .map(({ width, isFigures }, column) =>
        isFigures ? (row[column] ?? '').padStart(width) : (row[column] ?? '').padEnd(width),
      )
      .join('  ')
      .trimEnd(),
  );
  return [title, '', ...lines, ...notes, ''].join('\n');
}
