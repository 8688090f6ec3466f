import type { ErrorObject } from 'ajv';
import type { Contract } from '../contract/contract.js';
import { escapeSegment } from '../contract/pointer.js';
import { isObject } from '../contract/schema.js';
import type { Find } from './explain.js';
import { toTarget } from './read-write.js';
import { toEnumSentence, type Finding } from './sentence.js';
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

/** One alternative of a union. */
interface Branch {
  readonly pointer: string;
  /** Its schema with a bare `$ref` followed, and where that stands. */
  readonly schema: unknown;
  readonly target: string;
  readonly name: string | undefined;
}

/** Unions inside unions are explained this deep; below it is only said that nothing fits. */
const DEEPEST = 4;

/** Says why a value fits no alternative, or too many, by the alternative that was meant. */
export function explainUnion(error: ErrorObject, context: UnionContext): readonly Finding[] {
  const schemaPointer = `${context.owner}/${error.keyword}`;
  const report = (code: Finding['code'], says: string, below = ''): readonly Finding[] => [
    { code, path: `${error.instancePath}${below}`, says, schemaPointer },
  ];
  const branches = readBranches(context.contract, schemaPointer);
  const passing: unknown = error.params['passingSchemas'];
  if (Array.isArray(passing)) {
    const both = passing.flat().map((i) => branches[Number(i)]?.name ?? `number ${Number(i) + 1}`);
    return report(
      'UNION',
      `fits ${both.join(' and ')}, and must fit exactly one of its ${branches.length} alternatives`,
    );
  }
  if (branches.length === 0 || context.depth >= DEEPEST) return report('UNION', 'fits none of its alternatives');

  const tag = readTag(context, branches, error.data);
  if (tag !== undefined) {
    const below = `/${escapeSegment(tag.property)}`;
    if (tag.value === undefined) {
      return report('REQUIRED', `is required: it tells which of the ${branches.length} kinds this is`, below);
    }
    const meant = tag.branches.filter((_branch, i) => tag.values[i]?.includes(tag.value) === true);
    if (meant.length === 0) return report('ENUM', toEnumSentence(tag.value, [...new Set(tag.values.flat())]), below);
    return explainBranches(meant, error, context);
  }
  return explainBranches(branches, error, context);
}

/** Explains by the branch with the fewest and deepest findings; the rest is left out. */
function explainBranches(branches: readonly Branch[], error: ErrorObject, context: UnionContext): readonly Finding[] {
  const tried = branches.slice(0, 64).map((branch) => ({
    branch,
    findings: context.find(branch.pointer, error.data, context.depth + 1),
  }));
  const open = tried.filter(({ findings }) => findings.length > 0);
  const shallow = (findings: readonly Finding[]): boolean =>
    findings.some(({ path, code }) => path === '' && ['TYPE', 'ENUM', 'CONST'].includes(code));
  const fitting = open.filter(({ findings }) => !shallow(findings));
  const below = (finding: Finding): Finding => ({ ...finding, path: `${error.instancePath}${finding.path}` });
  if (fitting.length === 0) {
    return [
      {
        code: open.every(({ findings }) => findings[0]?.code === 'TYPE') ? 'TYPE' : 'ENUM',
        path: error.instancePath,
        says: `must be ${toAlternatives(readKinds(open.map(({ branch }) => branch)))}, not ${toWords(error.data)}`,
        schemaPointer: `${context.owner}/${error.keyword}`,
      },
    ];
  }
  const best = fitting.toSorted((x, y) => weigh(x.findings) - weigh(y.findings))[0];
  if (best === undefined) return [];
  // Several candidates: say which one the sentence is about.
  const taken = fitting.length > 1 && best.branch.name !== undefined ? ` (taken as ${best.branch.name})` : '';
  return best.findings.map((finding) => below({ ...finding, says: `${finding.says}${taken}` }));
}

/** A branch that fails in few places is closer than one that fails in many; a wrong tag weighs most. */
function weigh(findings: readonly Finding[]): number {
  return findings.reduce(
    (sum, { code }) => sum + (code === 'CONST' || code === 'ENUM' ? 3 : code === 'TYPE' ? 2 : 1),
    0,
  );
}

/** What each alternative takes, in words, merged: `"auto", "none" or an object`. */
function readKinds(branches: readonly Branch[]): readonly string[] {
  const kinds = branches.flatMap(({ schema, name }) => {
    if (!isObject(schema)) return name === undefined ? [] : [name];
    if (Array.isArray(schema['enum'])) return schema['enum'].map(toWords);
    if (Object.hasOwn(schema, 'const')) return [toWords(schema['const'])];
    const types = [schema['type'] ?? []].flat().filter((type): type is string => typeof type === 'string');
    if (types.length > 0) return types.map((type) => toTypeWords([type]));
    return name === undefined ? [] : [name];
  });
  return kinds.length === 0 ? [`one of ${branches.length} alternatives`] : [...new Set(kinds)];
}

interface Tag {
  readonly property: string;
  readonly value: unknown;
  readonly branches: readonly Branch[];
  /** The tag's values of each branch, in the order of `branches`. */
  readonly values: readonly (readonly unknown[])[];
}

/** The property that tells the alternatives apart: the declared discriminator, else one that each branch fixes. */
function readTag(context: UnionContext, branches: readonly Branch[], data: unknown): Tag | undefined {
  if (!isObject(data)) return undefined;
  const owner = context.contract.at(context.owner);
  const discriminator = isObject(owner) ? owner['discriminator'] : undefined;
  const declared = isObject(discriminator) ? discriminator['propertyName'] : undefined;
  if (typeof declared === 'string') {
    const mapping = isObject(discriminator) && isObject(discriminator['mapping']) ? discriminator['mapping'] : {};
    const values = branches.map((branch) => {
      const mapped = Object.keys(mapping).filter((key) => isMappedTo(mapping[key], branch));
      if (mapped.length > 0) return mapped;
      const fixed = readFixed(context.contract, branch.schema, declared);
      return fixed.length > 0 ? fixed : branch.name === undefined ? [] : [branch.name];
    });
    return { property: declared, value: data[declared], branches, values };
  }
  return readCommonTag(context.contract, branches, data);
}

/** OpenAPI 3.1, Discriminator Object: a mapping value is a schema's name or a reference to it. */
function isMappedTo(mapped: unknown, branch: Branch): boolean {
  return mapped === branch.name || toTarget(mapped) === branch.target;
}

function readCommonTag(
  contract: Contract,
  branches: readonly Branch[],
  data: Readonly<Record<string, unknown>>,
): Tag | undefined {
  const objects = branches.filter(({ schema }) => isObject(schema) && readProperties(contract, schema).length > 0);
  const first = objects[0];
  if (objects.length < 2 || first === undefined) return undefined;
  for (const property of readProperties(contract, first.schema)) {
    const values = objects.map(({ schema }) => readFixed(contract, schema, property));
    if (Object.hasOwn(data, property) && values.every((fixed) => fixed.length > 0) && new Set(values.flat()).size > 1) {
      return { property, value: data[property], branches: objects, values };
    }
  }
  return undefined;
}

/** The values a branch fixes a property to, by `const` or `enum`; none where it leaves it open. */
function readFixed(contract: Contract, schema: unknown, property: string, depth = 0): readonly unknown[] {
  if (!isObject(schema) || depth > 5) return [];
  const properties = schema['properties'];
  if (isObject(properties) && Object.hasOwn(properties, property)) {
    const own = follow(contract, properties[property]);
    if (isObject(own) && Object.hasOwn(own, 'const')) return [own['const']];
    if (isObject(own) && Array.isArray(own['enum'])) return own['enum'];
  }
  const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  return parts.flatMap((part) => readFixed(contract, follow(contract, part), property, depth + 1));
}

function readProperties(contract: Contract, schema: unknown, depth = 0): readonly string[] {
  if (!isObject(schema) || depth > 5) return [];
  const own = isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  return [...own, ...parts.flatMap((part) => readProperties(contract, follow(contract, part), depth + 1))];
}

function readBranches(contract: Contract, pointer: string): readonly Branch[] {
  const branches = contract.at(pointer);
  if (!Array.isArray(branches)) return [];
  return branches.map((branch: unknown, i) => {
    const target = (isObject(branch) ? toTarget(branch['$ref']) : undefined) ?? `${pointer}/${i}`;
    const schema = follow(contract, branch);
    const title = isObject(schema) ? schema['title'] : undefined;
    const own = isObject(branch) && typeof branch['$ref'] === 'string' ? branch['$ref'].split('/').at(-1) : undefined;
    return { pointer: `${pointer}/${i}`, schema, target, name: own ?? (typeof title === 'string' ? title : undefined) };
  });
}

/** A schema with its chain of `$ref`s followed. */
function follow(contract: Contract, schema: unknown): unknown {
  let current = schema;
  for (let i = 0; i < 16 && isObject(current); i++) {
    const target = toTarget(current['$ref']);
    if (target === undefined) break;
    current = contract.at(target);
  }
  return current;
}
