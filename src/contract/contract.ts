import type { Place } from '../errors.js';
import type { Operation, SecurityScheme } from './operation.js';
import type { Schema } from './schema.js';

/**
 * The OpenAPI document, loaded and indexed.
 *
 * The document inside is of one dialect whatever came in: OpenAPI 3.1 with JSON Schema 2020-12, every file bundled into one
 * object, so that each `$ref` is a local `#/…` pointer. Nothing is dereferenced; cycles are legal.
 */
export interface Contract {
  readonly title: string;
  readonly version: string;
  /** SHA-256 of the source text of all files, in hex: the same document has the same hash. */
  readonly hash: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly operations: readonly Operation[];
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** What is wrong with the document and what was assumed instead; errors first. */
  readonly problems: readonly Problem[];
  /** The operation of that id, or undefined. */
  operation(id: string): Operation | undefined;
  /** The value at a pointer of the inner document, or undefined. */
  at(pointer: string): unknown;
  /** A schema with its `$ref` chain followed, and where the target stands; siblings of a `$ref` are not merged. */
  resolve(schema: Schema, pointer: string): { readonly schema: Schema; readonly pointer: string };
  /** The file, line and original pointer of a pointer of the inner document. */
  locate(pointer: string): Place;
}

/** A mistake in a document that did not stop it from being served. */
export interface Problem {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly at: Place;
  /** What vouch does about it. */
  readonly assumed?: string;
}
