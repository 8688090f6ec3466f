import type { FailureClass } from './report.js';
import { hasChoices, listDifferences, PLAIN, settle, type Shape, toName } from './shape.js';

/** A smallest combination of choices that fails, and why. Remove it when its lives succeed. */
export interface KnownFailure {
  readonly choices: Partial<Shape>;
  readonly why: string;
}

export const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    choices: { item: 'data', sibling: 'string', create: 'id', createAt: 'word' },
    why: 'not true that a create is answered from state',
  },
];

export const toShape = ({ choices }: KnownFailure): Shape => settle({ ...PLAIN, ...choices });

/** Whether a shape has all choices of a known failure. */
export const hasKnown = (shape: Shape): boolean =>
  KNOWN_FAILURES.some((known) => hasChoices(shape, listDifferences(toShape(known))));

/** Whether lives fail in a known way. */
export const isKnown = ({ choices }: FailureClass): boolean =>
  KNOWN_FAILURES.some((known) => toName(listDifferences(toShape(known))) === toName(choices));
