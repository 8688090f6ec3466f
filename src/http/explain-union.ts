import type { ErrorObject } from 'ajv';
import type { Contract } from '../contract/contract.js';
import { escapeSegment } from '../contract/pointer.js';
import { isObject } from '../contract/json.js';
import type { Find } from './explain.js';
import { toEnumSentence, type Finding } from './sentence.js';
import { type Branch, follow, readBranches, readTag } from './union-tag.js';
import { toAlternatives, toTypeWords, toWords } from './wording.js';

/** What explaining a union needs to know. */
export interface UnionContext {
  readonly contract: Contract;
  readonly find: Find;
  /** Where the schema with the union stands. */
  readonly owner: string;
  /** How many unions stand around this one. */
  readonly depth: number;
}

/** Unions inside unions are explained this deep; below it is only said that nothing fits. */
const DEEPEST = 4;
/** More alternatives than this are not tried one by one. */
const MOST_BRANCHES = 64;

/** Says why a value fits no alternative, or too many, by the alternative that was meant. */
export function explainUnion(error: ErrorObject, context: UnionContext): readonly Finding[] {
  const { contract, owner } = context;
  const schemaPointer = `${owner}/${error.keyword}`;
  const report = (code: Finding['code'], says: string, below = ''): readonly Finding[] => [
    { code, path: `${error.instancePath}${below}`, says, schemaPointer },
  ];
  const branches = readBranches(contract, schemaPointer);
  const passing: unknown = error.params['passingSchemas'];
  if (Array.isArray(passing)) {
    const both = passing.flat().map((i) => branches[Number(i)]?.name ?? `number ${Number(i) + 1}`);
    return report(
      'UNION',
      `fits ${both.join(' and ')}, and must fit exactly one of its ${branches.length} alternatives`,
    );
  }
  if (branches.length === 0 || context.depth >= DEEPEST) return report('UNION', 'fits none of its alternatives');

  const data: unknown = error.data;
  const tag = isObject(data) ? readTag(contract, contract.at(owner), { branches, data }) : undefined;
  if (tag === undefined || !isObject(data)) return explainBranches(branches, error, context);
  const below = `/${escapeSegment(tag.property)}`;
  if (!Object.hasOwn(data, tag.property)) {
    return report('REQUIRED', `is required: it tells which of the ${tag.branches.length} kinds this is`, below);
  }
  const value = data[tag.property];
  const meant = tag.branches.filter((_branch, i) => tag.values[i]?.includes(value) === true);
  if (meant.length > 0) return explainBranches(meant, error, context);
  return report('ENUM', toEnumSentence(value, [...new Set(tag.values.flat())]), below);
}

/** Explains by the branch that is closest to the value; the others are left out. */
function explainBranches(branches: readonly Branch[], error: ErrorObject, context: UnionContext): readonly Finding[] {
  const open = branches
    .slice(0, MOST_BRANCHES)
    .map((branch) => ({ branch, findings: context.find(branch.pointer, error.data, context.depth + 1) }))
    .filter(({ findings }) => findings.length > 0);
  // A branch for another kind of value altogether is not the one that was meant.
  const close = open.filter(({ findings }) => !findings.some(isAboutKind));
  const best = close.toSorted((x, y) => weigh(x.findings) - weigh(y.findings))[0];
  if (best === undefined) {
    const kinds = listKinds(
      context.contract,
      open.map(({ branch }) => branch.schema),
    );
    return [
      {
        code: kinds.some((kind) => /^["\d-]/.test(kind)) ? 'ENUM' : 'TYPE',
        path: error.instancePath,
        says: `must be ${toAlternatives(kinds.length === 0 ? [`one of ${branches.length} alternatives`] : kinds)}, not ${toWords(error.data)}`,
        schemaPointer: `${context.owner}/${error.keyword}`,
      },
    ];
  }
  // Several candidates: say which one the sentence is about, where it has a name that says more than its type.
  const name = close.length > 1 && !TYPE_NAME.test(best.branch.name ?? 'any') ? best.branch.name : undefined;
  const taken = name === undefined ? '' : ` (taken as ${name})`;
  return best.findings.map(({ code, path, says, schemaPointer }) => ({
    code,
    path: `${error.instancePath}${path}`,
    says: `${says}${taken}`,
    schemaPointer,
  }));
}

const TYPE_NAME = /^(any|array|boolean|integer|null|number|object|string)$/i;

function isAboutKind({ path, code }: Finding): boolean {
  return path === '' && (code === 'TYPE' || code === 'ENUM' || code === 'CONST');
}

/** A branch that fails in few places is closer than one that fails in many; a wrong tag weighs most. */
function weigh(findings: readonly Finding[]): number {
  return findings.reduce((sum, { code }) => {
    if (code === 'CONST' || code === 'ENUM') return sum + 3;
    return sum + (code === 'TYPE' ? 2 : 1);
  }, 0);
}

/** What each alternative takes, in words, merged: `"auto", "none" or an object`. */
function listKinds(contract: Contract, schemas: readonly unknown[], depth = 0): readonly string[] {
  const kinds = schemas.flatMap((given) => {
    const schema = follow(contract, given);
    if (!isObject(schema) || depth > DEEPEST) return [];
    if (Array.isArray(schema['enum'])) return schema['enum'].map(toWords);
    if (Object.hasOwn(schema, 'const')) return [toWords(schema['const'])];
    const types = [schema['type'] ?? []].flat().filter((type): type is string => typeof type === 'string');
    if (types.length > 0) return types.map((type) => toTypeWords([type]));
    const below = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => schema[keyword] ?? []);
    if (below.length > 0) return listKinds(contract, below, depth + 1);
    return isObject(schema['properties']) ? ['an object'] : [];
  });
  // Where any text will do, the texts that are listed beside it say nothing.
  const distinct = [...new Set(kinds)];
  const shown = distinct.includes('a string') ? distinct.filter((kind) => !kind.startsWith('"')) : distinct;
  return [...shown.filter((kind) => kind !== 'null'), ...shown.filter((kind) => kind === 'null')];
}
