/** A part of a page that is followed in an empty folder. */
export interface Part {
  readonly path: string;
  readonly title: string;
  readonly text: string;
  readonly document: string | undefined;
}

export function isFollowed(path: string): boolean;

export function readFollowedParts(): readonly Part[];

export function readInstalled(line: string): readonly string[] | undefined;

export function followPart(
  part: Pick<Part, 'text' | 'document'>,
  options: {
    readonly root: string;
    readonly install: (names: readonly string[], folder: string) => string;
    readonly replace?: (line: string) => string;
    readonly env?: NodeJS.ProcessEnv;
  },
): Promise<{ readonly run: number; readonly mistakes: readonly string[] }>;

export function linkPackages(packages: readonly string[], folder: string): void;
