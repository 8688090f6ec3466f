/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
  readonly file: string | undefined;
  readonly reason: string | undefined;
}

export function readBlocks(page: string): readonly Block[];

export function readParts(page: string): readonly { readonly name: string; readonly text: string }[];

export function readStartDocument(page: string, start: string): string | undefined;

export function readLines(text: string): readonly string[];

export function followPage(options: {
  readonly page: string;
  readonly folder: string;
  readonly replace?: (line: string) => string | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly documents?: Readonly<Record<string, string>>;
}): Promise<{ readonly run: number; readonly mistakes: readonly string[] }>;
