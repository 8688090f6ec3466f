import type { Action } from '../resource.js';
import type { Item } from '../store/collection.js';
import type { Draft } from './draft.js';

/** What an operation was found to do, before names and hints are settled. */
export interface Finding {
  readonly draft: Draft;
  readonly action: Action;
  /** Properties that it gives a value of their own. */
  readonly set: Item;
  readonly confidence: number;
  readonly why: string;
}

/** Says what was found out about an operation of one draft that sets no property by itself. */
type Find = (action: Action, confidence: number, why: string) => Finding;

/** A maker of findings about one draft. */
export function createFind(draft: Draft): Find {
  return (action, confidence, why) => ({ draft, action, set: NO_SET, confidence, why });
}

const NO_SET: Item = Object.freeze({});
