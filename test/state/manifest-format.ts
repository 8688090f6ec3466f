import { readFileSync } from 'node:fs';

/** Where a value is sent. */
export type Place = 'path' | 'query' | 'body';

/** Places by parameter name; without an entry, the document says where a parameter is. */
export type Places = Readonly<Record<string, Place>>;

/** A pointer into an item, optionally with a pattern whose first group (or whole match) is the value. */
export type Key = string | { readonly pointer: string; readonly pattern: string };

/** An answer that is an operation, which is polled until it is done. */
export interface LongRunning {
  readonly poll: string;
  readonly name: string;
  readonly done: string;
  readonly item?: string;
}

/** How the pages of a list are read. */
export interface PageRules {
  readonly style: 'page' | 'offset' | 'cursor' | 'link' | 'header' | 'token' | 'none';
  readonly in?: Place;
  readonly limit?: string;
  readonly cursor?: string;
  readonly next?: string;
  readonly hasMore?: string;
  readonly total?: string;
  /** The query without which the answer has no total. */
  readonly totalQuery?: Readonly<Record<string, unknown>>;
}

export interface List {
  readonly operation: string;
  readonly items: string;
  readonly item: string;
  readonly page?: PageRules;
}

export interface Update {
  readonly operation: string;
  readonly body: string;
  readonly item: string | null;
  readonly kind: 'merge' | 'replace';
  readonly sent?: Readonly<Record<string, string>>;
  readonly parameters?: Readonly<Record<string, Key>>;
  readonly in?: Places;
  readonly media?: string;
  /** Body fields (below `body`) that must have the value of the item at a pointer. */
  readonly sends?: Readonly<Record<string, string>>;
  /** The query parameter, or the pointer in the body, that names the updated fields. */
  readonly mask?: string;
  readonly status?: string;
  readonly longRunning?: LongRunning;
}

export interface Delete {
  readonly operation: string;
  readonly in?: Places;
  readonly sends?: Readonly<Record<string, string>>;
  readonly gone:
    | '404'
    | '400'
    | { readonly status?: string; readonly pointer: string; readonly value?: unknown; readonly not?: unknown };
  /** Whether lists still show an item that is only marked as deleted; without it, lists are not asserted. */
  readonly listed?: boolean;
  readonly archive?: {
    readonly query: Readonly<Record<string, unknown>>;
    readonly pointer: string;
    readonly value: unknown;
  };
  readonly longRunning?: LongRunning;
}

export interface Resource {
  readonly name: string;
  readonly create: {
    readonly operation: string;
    readonly body: string;
    readonly item: string | null;
    readonly status?: string;
    readonly longRunning?: LongRunning;
  };
  readonly read: { readonly operation: string; readonly item: string };
  readonly lists: readonly List[];
  readonly updates: readonly Update[];
  readonly delete?: Delete | null;
  readonly id: {
    readonly pointer: string;
    readonly parameters: Readonly<Record<string, Key>>;
    readonly in?: Places;
    readonly chosen?: { readonly parameter: string; readonly in: Place };
    readonly alternates?: Readonly<Record<string, string | readonly string[]>>;
  };
  /** Resources by parameter or body field, or literal values; `closed` creates the parent where unknown ids are not found. */
  readonly parents: Readonly<Record<string, string | { readonly value: unknown; readonly closed?: string }>>;
  readonly sent: Readonly<Record<string, string>>;
  /** Values of sent fields at the creation, for rules that no schema states. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** The resources of the manifest beside a document. */
export function loadManifest(spec: string): readonly Resource[] {
  const text = readFileSync(spec.replace(/\.ya?ml$/, '.resources.json'), 'utf8');
  // The manifests are files of this repository.
  return (JSON.parse(text) as { readonly resources: readonly Resource[] }).resources;
}
