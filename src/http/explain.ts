import type { Contract } from '../contract/contract.js';
import { escapeSegment } from '../contract/pointer.js';
import { explainUnion } from './explain-union.js';
import { MOST_ERRORS } from './schema-unit.js';
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
    const errors = (validate.errors ?? []).slice(0, MOST_ERRORS);
    const findings = errors.flatMap((error) => {
      const owner = units.pointerOf(error.parentSchema);
      if ((error.keyword === 'anyOf' || error.keyword === 'oneOf') && owner !== undefined) {
        return explainUnion(error, { contract, find, owner, depth });
      }
      const finding = toFinding(error, owner === undefined ? pointer : `${owner}/${escapeSegment(error.keyword)}`);
      return finding === undefined ? [] : [finding];
    });
    const told = tidy(findings);
    // Whatever happens to the words, what was found invalid stays invalid.
    return told.length > 0
      ? told
      : [{ code: 'EXCLUDED', path: '', says: 'does not fit its schema', schemaPointer: pointer }];
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

/** Leaves out what adds nothing: at one place what a stronger finding already implies, then repeats. */
function tidy(findings: readonly Finding[]): readonly Finding[] {
  const listed = new Set(findings.filter(({ code }) => code === 'ENUM' || code === 'CONST').map(({ path }) => path));
  const seen = new Set<string>();
  return findings.filter(({ path, code, says }) => {
    // Somebody who is told which values there are need not be told their type, length or pattern.
    if (listed.has(path) && IMPLIED.has(code)) return false;
    const key = `${path} ${says}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

const IMPLIED: ReadonlySet<Finding['code']> = new Set(['TYPE', 'LENGTH', 'PATTERN', 'FORMAT']);
