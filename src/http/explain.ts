import type { Contract } from '../contract/contract.js';
import { escapeSegment } from '../contract/pointer.js';
import { explainUnion } from './explain-union.js';
import type { DirectedUnits } from './schema-units.js';
import { toFinding, type Finding } from './sentence.js';
import type { Violation, ViolationPlace } from './violation.js';
import { toSubject } from './wording.js';

/** Where the checked value came from. */
export interface ExplainPlace {
  readonly in: ViolationPlace;
  readonly name: string | undefined;
}

/** Says why a value breaks the schema at a pointer, at most twenty times. */
export type Explainer = (pointer: string, value: unknown, place: ExplainPlace) => readonly Violation[];

/** Findings of a value against the schema at a pointer; `depth` counts the unions around it. */
export type Find = (pointer: string, value: unknown, depth: number) => readonly Finding[];

const MOST_VIOLATIONS = 20;

/** Explains departures of one direction; what it compiles for that, it compiles only once something departed. */
export function createExplainer(
  contract: Contract,
  parts: { readonly units: DirectedUnits; readonly by: 'client' | 'mock' },
): Explainer {
  const { units, by } = parts;

  const find: Find = (pointer, value, depth) => {
    const validate = units.full(pointer);
    if (validate(value)) return [];
    // A copy: explaining a union asks the same compiled function again, and that replaces its errors.
    const errors = [...(validate.errors ?? [])];
    const findings = errors.flatMap((error) => {
      const owner = units.pointerOf(error.parentSchema);
      if ((error.keyword === 'anyOf' || error.keyword === 'oneOf') && owner !== undefined) {
        return explainUnion(error, { contract, find, owner, depth });
      }
      const finding = toFinding(error, owner === undefined ? pointer : `${owner}/${escapeSegment(error.keyword)}`);
      return finding === undefined ? [] : [finding];
    });
    return tidy(findings);
  };

  return (pointer, value, place) => {
    const words = { ...place, answered: by === 'mock' };
    const lead = place.name === undefined ? '' : `/${escapeSegment(place.name)}`;
    return find(pointer, value, 0)
      .slice(0, MOST_VIOLATIONS)
      .map((finding) => ({
        code: finding.code,
        severity: 'error',
        in: place.in,
        pointer: `${lead}${finding.path}`,
        message: `${toSubject(words, finding.path)} ${finding.says}`,
        by,
        schemaPointer: finding.schemaPointer,
      }));
  };
}

/** Leaves out what adds nothing: repeats, and at one place what a stronger finding already implies. */
function tidy(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  const listed = new Set(findings.filter(({ code }) => code === 'ENUM' || code === 'CONST').map(({ path }) => path));
  return findings.filter((finding) => {
    const key = `${finding.path} ${finding.says}`;
    if (seen.has(key)) return false;
    seen.add(key);
    // Somebody who is told which values there are need not be told their type, length or pattern.
    return !listed.has(finding.path) || !['TYPE', 'LENGTH', 'PATTERN', 'FORMAT'].includes(finding.code);
  });
}
