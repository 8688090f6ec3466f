import type { Place } from '../../../base/errors.js';

/** The kinds of files that can break a contract. */
export type FileKind = 'fixture' | 'scenario' | 'recording' | 'HAR' | 'Pact' | 'journal' | 'handler';

/** A place in a file that kept the old contract and breaks the new one. */
export interface FileBreak {
  readonly kind: FileKind;
  readonly at: Place;
  /** What the new contract refuses, in one sentence. */
  readonly message: string;
  /** The smallest change of the file that the new contract accepts. */
  readonly repair: string;
}
