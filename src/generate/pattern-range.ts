import type { PatternNode } from './pattern-tree.js';

/** How many characters a node may write. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

const EMPTY: Range = { least: 0, most: 0 };

/** The shortest and the longest text of a node; references back are taken to be of any length. */
export function measure(node: PatternNode): Range {
  switch (node.kind) {
    case 'chars':
      return { least: 1, most: 1 };
    case 'group':
      return measure(node.node);
    case 'sequence':
      return node.nodes
        .map(measure)
        .reduce((sum, one) => ({ least: sum.least + one.least, most: sum.most + one.most }), EMPTY);
    case 'either': {
      const ranges = node.nodes.map(measure);
      return {
        least: Math.min(...ranges.map(({ least }) => least)),
        most: Math.max(...ranges.map(({ most }) => most)),
      };
    }
    case 'repeat': {
      const inner = measure(node.node);
      const most = inner.most === 0 || node.most === 0 ? 0 : inner.most * node.most;
      return { least: inner.least * node.least, most };
    }
    case 'back':
      return { least: 0, most: Infinity };
    default:
      return EMPTY;
  }
}
