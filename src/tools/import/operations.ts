import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { escapePattern } from '../../base/text.js';
import { decodeText } from '../../contract/pointer.js';
import { readPattern } from '../../contract/upgrade/patterns.js';
import type { Conditions, Stub } from './stub.js';

/** An operation whose requests a stub answers. */
export interface StubTarget {
  readonly operation: Operation;
  /** Conditions on its path parameters. */
  readonly path: Conditions;
  /** The parameters of the operation by their names in the stub, and by the index of their segment: `#2`. */
  readonly names: ReadonlyMap<string, string>;
}

/** A segment of the path of a stub. */
type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'parameter'; readonly name: string; readonly source: string | undefined }
  | { readonly kind: 'pattern'; readonly source: string; readonly isAny: boolean; readonly isDeep: boolean };

const PARAMETER = /\{([^{}]+)\}/g;

/** The operations that a stub answers: the most specific one for a path, every one that fits for a template or a pattern. */
export function findTargets({ operations }: Contract, stub: Stub, prefix: string): readonly StubTarget[] {
  const found = [stub.path.text, ...removePrefix(stub, prefix)].map((text) => {
    const segments = readSegments({ ...stub.path, text });
    return operations.flatMap((operation) => {
      if (stub.method !== undefined && operation.method !== stub.method) return [];
      const own = operation.path.split('?')[0] ?? '';
      const targets = operation.basePaths.map((base) => matchPath(segments, (base + own).split('/').slice(1)));
      const target = targets.find((each) => each !== undefined);
      return target === undefined ? [] : [{ operation, ...target }];
    });
  });
  const targets = found.find((each) => each.length > 0) ?? [];
  if (stub.path.kind === 'pattern') return targets;
  // A literal segment has precedence over a parameter.
  const best = Math.max(...targets.map(({ literals }) => literals));
  return targets.filter(({ literals }) => literals === best);
}

/** The parts of a path that can be no segment or several, and are read as one. */
export function listOpenSegments({ kind, text }: Stub['path']): readonly string[] {
  return kind === 'template' ? text.split('/').filter((segment) => /^:.*[?+*]$|^\*+$/.test(segment)) : [];
}

/** The path below a prefix that the document may not have. */
function removePrefix({ path }: Stub, prefix: string): readonly string[] {
  const own = prefix.replaceAll(/^\/|\/$/g, '');
  return own !== '' && path.text.startsWith(`/${own}/`) ? [path.text.slice(own.length + 1)] : [];
}

function readSegments({ kind, text }: Stub['path']): readonly Segment[] {
  if (kind === 'pattern') return splitPattern(text).map(readPatternSegment);
  return text
    .split('/')
    .slice(1)
    .map((segment) => {
      const name = /^(?:\{(.+)\}|:([^()?+*]+)(?:\((.+)\))?.*|\*+)$/.exec(segment);
      if (kind === 'path' || name === null) return { kind: 'text', text: decodeText(segment) };
      return { kind: 'parameter', name: name[1] ?? name[2] ?? '', source: name[3] };
    });
}

/** The segments of a regular expression: the parts between slashes that are in no group or set. */
function splitPattern(pattern: string): readonly string[] {
  const segments: string[] = [];
  let depth = 0;
  let segment = '';
  for (const [part] of pattern.replaceAll(/^\^|\$$/g, '').matchAll(/\\.|[^]/g)) {
    if (part === '(' || part === '[') depth += 1;
    if (part === ')' || part === ']') depth -= 1;
    const isSlash = part === '/' || part === String.raw`\/`;
    if (isSlash && depth === 0) {
      segments.push(segment);
      segment = '';
    } else segment += part;
  }
  return [...segments, segment].slice(1);
}

function readPatternSegment(source: string): Segment {
  const plain = source.replaceAll(/\\([.\-/_~])/g, '$1');
  if (!/[\\^$.*+?()[\]{}|]/.test(source.replaceAll(/\\[.\-/_~]/g, ''))) return { kind: 'text', text: plain };
  const isDeep = /^\(?\.[*+]\??\)?$/.test(source);
  return { kind: 'pattern', source, isAny: isDeep || /^\(?\[\^\/[?&]*\][*+]\)?$/.test(source), isDeep };
}

interface PathMatch extends Pick<StubTarget, 'path' | 'names'> {
  /** The number of segments that are the same text. */
  readonly literals: number;
}

function matchPath(segments: readonly Segment[], own: readonly string[]): PathMatch | undefined {
  const last = segments.at(-1);
  const isDeep = last?.kind === 'pattern' && last.isDeep && own.length > segments.length;
  if (own.length !== segments.length && !isDeep) return undefined;
  const path: Record<string, unknown> = {};
  const names = new Map<string, string>();
  let literals = 0;
  for (const [i, text] of own.entries()) {
    const segment = segments[i] ?? last;
    if (segment === undefined) return undefined;
    const parameters = [...text.matchAll(PARAMETER)].map((match) => match[1] ?? '');
    const [name] = parameters;
    if (name === undefined) {
      if (!matchesText(segment, text)) return undefined;
      if (segment.kind === 'text') literals += 1;
      continue;
    }
    names.set(`#${i}`, name);
    if (segment.kind === 'parameter') names.set(segment.name, name);
    if (segment.kind === 'text') {
      const values = readMixed(text, segment.text);
      if (values === undefined) return undefined;
      for (const [j, value] of values.entries()) path[parameters[j] ?? ''] = value;
    }
    const isAny = segment.kind === 'text' || (segment.kind === 'pattern' && segment.isAny);
    if (!isAny && segment.source !== undefined) path[name] = { matches: `^(?:${segment.source})$` };
  }
  return { path, names, literals };
}

function matchesText(segment: Segment, text: string): boolean {
  if (segment.kind === 'text') return segment.text === decodeText(text);
  return segment.kind === 'pattern' && readPattern(`^(?:${segment.source})$`).pattern.test(text);
}

/** The values of the parameters of a segment such as `{id}.json`. */
function readMixed(template: string, text: string): readonly string[] | undefined {
  const parts = template.split(PARAMETER).map((part, i) => (i % 2 === 1 ? '(.+?)' : escapePattern(part)));
  return new RegExp(`^${parts.join('')}$`).exec(text)?.slice(1);
}
