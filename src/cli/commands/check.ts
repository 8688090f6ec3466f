import type { Command } from 'commander';
import type { Contract, Problem, ProblemCode } from '../../contract/contract.js';
import type { MediaType, Operation } from '../../contract/operations/operation.js';
import { addTo, type Schema } from '../../base/json.js';
import { countOf, formatMistake, MockError, suggest } from '../../base/errors.js';
import { inferResources } from '../../resources/infer/infer.js';
import { createGenerator } from '../../generate/generate.js';
import { isJsonType } from '../../contract/media-type.js';
import { createValidators, prepareSchemas, type Validators } from '../../schema/validate.js';
import { type Direction, listErrors, type ViolationPlace } from '../../schema/violation.js';
import { addDocument, loadDocument, type ReportOptions } from '../document.js';
import type { Output } from '../output.js';

/** Defines `vouch check`. */
export function defineCommand(command: Command, output: Output): void {
  addDocument(command, output, runCheck)
    .description('list problems of an OpenAPI document, invalid examples and unusable schemas; exit code 1 on errors')
    .option(
      '--operation <id>',
      'only problems of this operation and of the schemas that it refers to: its id, or "GET /path"',
    )
    .option('--collection <name>', 'only problems of the operations of this collection, as "vouch resources" names it')
    .option('--json', 'print JSON');
}

/** Options of `vouch check`. */
export interface CheckOptions extends ReportOptions {
  readonly operation?: string;
  readonly collection?: string;
}

/**
 * `vouch check`: prints the problems of a document, invalid examples and schemas that cannot be compiled, in the order of the
 * document. @returns the exit code: 1 if one of them is an error, otherwise 0. @throws MockError if it cannot be loaded, or if a filter matches
 * no operation.
 */
export async function runCheck(options: CheckOptions): Promise<number> {
  const { spec, json = false, write } = options;
  // Documents are checked while they are edited: caching each version would fill the disk.
  const contract = await loadDocument(options, { 'document.cacheFolder': false });
  const validators = createValidators(contract);
  for (const pointer of prepareSchemas(contract, validators)) void pointer;
  const found = [
    ...contract.problems,
    ...checkExamples(contract, validators),
    ...findContradictions(contract, validators),
    ...findUnmeetable(contract, validators),
    ...validators.problems(),
  ];
  const isShown = createFilter(contract, validators, options);
  const problems = found.filter(isShown).toSorted(comparePlaces);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const { title, version, operations } = contract;
  if (json) {
    write(JSON.stringify({ spec, title, version, operations: operations.length, errors, problems }, undefined, 2));
  } else {
    const counts = `${countOf(errors, 'error')}, ${countOf(problems.length - errors, 'warning')}`;
    write(`${title} ${version}: ${countOf(operations.length, 'operation')}, ${counts}`);
    for (const [problem, others] of groupByCause(problems)) {
      // Severity, code, place, message, and what vouch assumes instead.
      const assumed = problem.assumed === undefined ? '' : `; ${problem.assumed}`;
      const more = others === 0 ? '' : ` (and at ${countOf(others, 'more place')})`;
      write(`${problem.severity.padEnd(7)}  ${formatMistake(problem)}${assumed}${more}`);
    }
  }
  return errors > 0 ? 1 : 0;
}

/** Whether a problem is in the operations that the filters name, or in a schema that one of them refers to. @throws MockError `OPTION_INVALID`. */
function createFilter(
  contract: Contract,
  validators: Validators,
  { operation, collection }: CheckOptions,
): (problem: Problem) => boolean {
  if (operation === undefined && collection === undefined) return () => true;
  const { bindings } = collection === undefined ? { bindings: undefined } : inferResources(contract);
  const chosen = contract.operations.filter(
    ({ id, method, path }) =>
      (operation === undefined || operation === id || operation === `${method} ${path}`) &&
      (collection === undefined || bindings?.get(id)?.collection === collection),
  );
  if (chosen.length === 0) {
    const names = [
      ...(operation === undefined ? [] : contract.operations.map(({ id }) => id)),
      ...[...(bindings?.values() ?? [])].map((binding) => binding.collection),
    ];
    const hint = suggest(operation ?? collection ?? '', names) ?? '"vouch resources" lists operations and collections';
    throw new MockError('OPTION_INVALID', 'no operation of the document matches the filters', { hint });
  }
  const places = listReached(validators, chosen).map(contract.locate);
  return ({ at }) =>
    places.some(
      ({ file, pointer = '' }) =>
        file === at.file && (at.pointer === pointer || at.pointer?.startsWith(`${pointer}/`) === true),
    );
}

/** The pointers of operations, and of all schemas that they refer to. */
function listReached(validators: Validators, operations: readonly Operation[]): readonly string[] {
  const reached = new Set(operations.map(({ pointer }) => pointer));
  const waiting = operations.flatMap((operation): Pick<SchemaPlace, 'direction' | 'schemaPointer'>[] =>
    listPlaces(operation),
  );
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { schemaPointer, direction } = next;
    for (const reference of validators.prepare(schemaPointer, direction)) {
      if (reached.has(reference)) continue;
      reached.add(reference);
      waiting.push({ schemaPointer: reference, direction });
    }
  }
  return [...reached];
}

/** The first problem of each cause, and the number of others that say the same elsewhere. */
function groupByCause(problems: readonly Problem[]): readonly (readonly [first: Problem, others: number])[] {
  const groups = new Map<string, Problem[]>();
  for (const problem of problems) addTo(groups, `${problem.code} ${problem.message} ${problem.assumed}`, problem);
  return [...groups.values()].flatMap(([first, ...others]) => (first === undefined ? [] : [[first, others.length]]));
}

function comparePlaces(one: Problem, other: Problem): number {
  const byFile = (one.at.file ?? '').localeCompare(other.at.file ?? '');
  return byFile === 0 ? (one.at.line ?? 0) - (other.at.line ?? 0) : byFile;
}

/** The schemas of responses that no value can fit, because their parts contradict each other. */
function findContradictions(contract: Contract, validators: Validators): readonly Problem[] {
  const generator = createGenerator(contract, validators);
  const code: ProblemCode = 'SCHEMA_CONTRADICTORY';
  const answers = contract.operations
    .flatMap(listPlaces)
    .filter((each) => each.isJson && each.direction === 'response');
  const pointers = new Set(
    // It is the pointer of a schema.
    answers.map(({ schemaPointer: at }) => contract.resolve(contract.at(at) as Schema, at).pointer),
  );
  const suspects = [...pointers].filter((pointer) => generator.mayContradict(pointer));
  return suspects.flatMap((pointer): readonly Problem[] => {
    let isContradictory = false;
    const note = (_line: string, contradicts = false): void => void (isContradictory ||= contradicts);
    const value = generator.value(pointer, { seed: 1, key: pointer, direction: 'response', now: 0, note });
    const [first] = isContradictory ? validators.check(pointer, 'response')(value, 'body') : [];
    if (first === undefined) return [];
    const message = `no value can fit: ${first.message}`;
    const at = contract.locate(first.schemaPointer ?? pointer);
    return [{ code, severity: 'error', message, at, assumed: 'the value that fits most of it is answered' }];
  });
}

/** The constraints of requests that no client can be expected to meet. */
function findUnmeetable(contract: Contract, validators: Validators): readonly Problem[] {
  const code: ProblemCode = 'SCHEMA_CONTRADICTORY';
  return validators.unmeetable().map(({ reason: message, pointer }) => {
    return { code, severity: 'warning', message, at: contract.locate(pointer), assumed: 'requests need not meet it' };
  });
}

/** The invalid examples of parameters, request bodies and responses; each place once. */
function checkExamples(contract: Contract, validators: Validators): readonly Problem[] {
  const seen = new Set<string>();
  return contract.operations
    .flatMap(listPlaces)
    .filter(({ isJson }) => isJson)
    .flatMap((place) => checkPlace(contract, validators, place))
    .filter(({ at }) => {
      // A component that several operations refer to is one place.
      const key = `${at.file ?? ''}#${at.pointer ?? ''}`;
      return !seen.has(key) && seen.add(key) !== undefined;
    });
}

/** One schema of an operation with its examples; of a parameter, with its name. */
interface SchemaPlace extends Pick<MediaType, 'schemaPointer' | 'examples'> {
  readonly direction: Direction;
  readonly in: ViolationPlace;
  readonly name?: string;
  /** Whether it describes the values: those of other media types are serialized strings. */
  readonly isJson: boolean;
}

function listPlaces({ parameters, body, responses }: Operation): SchemaPlace[] {
  const ofMedia =
    (direction: Direction) =>
    ({ type, schema, schemaPointer, examples }: MediaType): SchemaPlace[] =>
      schema === undefined ? [] : [{ direction, schemaPointer, examples, in: 'body', isJson: isJsonType(type) }];
  return [
    ...parameters.map(({ schemaPointer, examples, in: from, name, mediaType }): SchemaPlace => {
      const place = from === 'querystring' ? 'query' : from;
      return { direction: 'request', schemaPointer, examples, in: place, name, isJson: mediaType === undefined };
    }),
    ...(body?.content ?? []).flatMap(ofMedia('request')),
    ...responses.flatMap(({ content }) => content.flatMap(ofMedia('response'))),
  ];
}

function checkPlace(contract: Contract, validators: Validators, place: SchemaPlace): readonly Problem[] {
  const check = validators.check(place.schemaPointer, place.direction);
  return place.examples.flatMap(({ name, value, pointer }) => {
    // An example with `externalValue` has no value to check.
    const violations = value === undefined ? [] : check(value, place.in, place.name);
    // Write-only properties are removed from an example before it is served, so that they are not a mistake.
    const wrong = listErrors(violations).filter(({ code }) => code !== 'WRITE_ONLY');
    const [first] = wrong;
    if (first === undefined) return [];
    const code: ProblemCode = 'EXAMPLE_INVALID';
    const which = name === '' ? 'the example' : `the example "${name}"`;
    const more = wrong.length === 1 ? '' : ` (and ${wrong.length - 1} more)`;
    const where = first.pointer === '' ? '' : ` at ${first.pointer}`;
    const message = `${which} does not match its schema${where}: ${first.message}${more}`;
    const problem = { code, severity: 'warning', message, at: contract.locate(pointer) } as const;
    return place.direction === 'request' ? [problem] : [{ ...problem, assumed: 'the example is not served' }];
  });
}
