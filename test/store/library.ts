import { loadCases } from '../load-cases.js';
/** A small contract of books, in sessions of their own, with operations that scenarios limit. */
export const LIBRARY: Readonly<Record<string, unknown>> = loadCases<Record<string, unknown>>('store/library.yaml');
