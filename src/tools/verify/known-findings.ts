import { writeFileSync } from 'node:fs';
import { MockError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { loadTextFile } from '../../base/inside-folder.js';
import { replaceFileSync } from '../../base/replace-file.js';
import type { Contract } from '../../contract/contract.js';
import { parseText } from '../../contract/load/parse.js';
import { createLineFinder } from '../../contract/load/source-map.js';
import { toPointer } from '../../contract/pointer.js';
import type { Verification } from './events.js';
import { type Finding, FINDING_CODES, type FoundBreak, readCause } from './finding.js';

/** A finding that is accepted until a date. */
export interface Suppression {
  readonly code?: string;
  readonly operation?: string;
  /** Pointer into the document. */
  readonly pointer?: string;
  readonly reason: string;
  /** The last day, as `2027-01-31`; undefined for always. */
  readonly until?: string;
}

const MEMBERS: ReadonlySet<string> = new Set(['code', 'operation', 'pointer', 'reason', 'until']);

/** Reads a file of suppressions, YAML or JSON. @throws MockError `OPTION_INVALID` with the place of a mistake. */
export function readSuppressions(file: string): readonly Suppression[] {
  const text = loadTextFile(file, 'OPTION_INVALID');
  const { value } = parseText(text, file, 'OPTION_INVALID');
  const invalid = (message: string, pointer: string): MockError => {
    const hint = 'an array of { code, operation, pointer, reason, until }';
    return new MockError('OPTION_INVALID', message, {
      at: { file, ...createLineFinder(text)(pointer), pointer },
      hint,
    });
  };
  if (!Array.isArray(value)) throw invalid('the suppressions must be an array', '');
  return (value as readonly unknown[]).map((each, i) => {
    const pointer = toPointer(i);
    if (!isObject(each)) throw invalid('a suppression must be an object', pointer);
    const unknown = Object.keys(each).find((name) => !MEMBERS.has(name));
    if (unknown !== undefined) throw invalid(`a suppression has no member "${unknown}"`, `${pointer}/${unknown}`);
    if (Object.values(each).some((member) => typeof member !== 'string'))
      throw invalid('each member must be a string', pointer);
    const { code, operation, pointer: at, reason, until } = each as unknown as Suppression;
    if (reason === undefined || reason.trim() === '') throw invalid('a suppression needs a reason', pointer);
    if (code === undefined && operation === undefined && at === undefined) {
      throw invalid('a suppression names a code, an operation or a pointer', pointer);
    }
    if (code !== undefined && !(code in FINDING_CODES)) throw invalid(`there is no code "${code}"`, `${pointer}/code`);
    if (until !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(until))
      throw invalid('until must be a date: 2027-01-31', `${pointer}/until`);
    return each as unknown as Suppression;
  });
}

/** Creates what says whether a finding is accepted; a suppression counts until the end of its last day (UTC). */
export function createIsSuppressed(suppressions: readonly Suppression[], now: number): (found: FoundBreak) => boolean {
  const expired = listExpired(suppressions, now);
  const valid = suppressions.filter((each) => !expired.includes(each));
  return (found) =>
    valid.some(({ code = found.code, operation = found.operation, pointer = found.pointer }) => {
      return code === found.code && operation === found.operation && pointer === found.pointer;
    });
}

/** The suppressions whose last day is over. */
export function listExpired(suppressions: readonly Suppression[], now: number): readonly Suppression[] {
  const today = new Date(now).toISOString().slice(0, 10);
  return suppressions.filter(({ until }) => until !== undefined && until < today);
}

/** Writes findings to a file, to compare with those of a later run. */
export function storeFindings(file: string, findings: readonly Finding[]): void {
  replaceFileSync(file, (temporary) =>
    writeFileSync(temporary, `${JSON.stringify({ version: 1, findings }, null, 2)}\n`),
  );
}

/** Reads the findings of an earlier run. @throws MockError `OPTION_INVALID`. */
export function readFindings(file: string): readonly Finding[] {
  const { value } = parseText(loadTextFile(file, 'OPTION_INVALID'), file, 'OPTION_INVALID');
  const findings = isObject(value) && value['version'] === 1 ? value['findings'] : undefined;
  const isFinding = (each: unknown): boolean =>
    isObject(each) &&
    String(each['code']) in FINDING_CODES &&
    Array.isArray(each['operations']) &&
    isObject(each['request']);
  if (Array.isArray(findings) && findings.every(isFinding)) return findings as readonly Finding[];
  throw new MockError('OPTION_INVALID', 'the file does not have the findings of vouch verify', {
    at: { file },
    hint: 'name the file that --findings wrote',
  });
}

/** What became of a finding. */
export interface Replayed {
  readonly finding: Finding;
  /** `gone`: none of its operations is in the document any more. */
  readonly state: 'fixed' | 'gone' | 'not verified' | 'still there';
}

/** Compares the findings of an earlier run with those of now; suppressed ones are still there. */
export function compareFindings(
  earlier: readonly Finding[],
  { findings, suppressed, verified }: Pick<Verification, 'findings' | 'suppressed' | 'verified'>,
  contract: Pick<Contract, 'operation'>,
): readonly Replayed[] {
  const causesOf = (finding: Finding): readonly string[] =>
    finding.operations.map((operation) => readCause({ ...finding, operation }));
  const causes = new Set([...findings, ...suppressed].flatMap(causesOf));
  return earlier.map((finding) => {
    const { operations } = finding;
    if (causesOf(finding).some((cause) => causes.has(cause))) return { finding, state: 'still there' };
    if (operations.some((id) => verified.includes(id))) return { finding, state: 'fixed' };
    return { finding, state: operations.some((id) => contract.operation(id)) ? 'not verified' : 'gone' };
  });
}
