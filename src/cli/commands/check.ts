import type { Contract, Problem, ProblemCode } from '../../contract/contract.js';
import { loadContract } from '../../contract/load/load.js';
import type { Example, MediaType, Operation } from '../../contract/operations/operation.js';
import { formatMistake } from '../../errors.js';
import { isJsonType, toEssence } from '../../http/media-type.js';
import { createValidators, prepareSchemas, type Validators } from '../../schema/validate.js';
import type { Violation, ViolationPlace } from '../../schema/violation.js';

/** What `vouch check` was asked. */
export interface CheckOptions {
  /** A path or URL. */
  readonly spec: string;
  /** One JSON object instead of lines. */
  readonly json: boolean;
  readonly overlays: readonly string[];
  readonly allowHttpRefs: boolean;
  write(line: string): void;
}

/**
 * `vouch check`: every problem of a document, every example that breaks its schema and every schema that cannot be compiled, one a
 * line, in the order of the document.
 *
 * @returns 1 where one of them is an error, else 0.
 * @throws MockError where the document cannot be read at all.
 */
export async function runCheck(options: CheckOptions): Promise<number> {
  const { spec, json, overlays, allowHttpRefs, write } = options;
  // Whoever checks a document changes it between two runs: keeping a copy of each state would fill the disk for nothing.
  const contract = await loadContract(spec, { overlays, allowHttpRefs, cacheFolder: false });
  const validators = createValidators(contract);
  for (const pointer of prepareSchemas(contract, validators)) void pointer;
  const found = [...contract.problems, ...checkExamples(contract, validators), ...validators.problems()];
  const problems = found.toSorted(comparePlaces);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const { title, version, operations } = contract;
  if (json) {
    write(JSON.stringify({ spec, title, version, operations: operations.length, errors, problems }, undefined, 2));
  } else {
    for (const problem of problems) write(formatProblem(problem));
    const counts = `${count(errors, 'error')}, ${count(problems.length - errors, 'warning')}`;
    write(`${title} ${version}: ${count(operations.length, 'operation')}, ${counts}`);
  }
  return errors > 0 ? 1 : 0;
}

/** One problem as one line: how bad, its code, place and message, and what vouch does about it. */
function formatProblem(problem: Problem): string {
  const assumed = problem.assumed === undefined ? '' : `; ${problem.assumed}`;
  return `${problem.severity.padEnd(7)}  ${formatMistake(problem)}${assumed}`;
}

function comparePlaces(one: Problem, other: Problem): number {
  const byFile = (one.at.file ?? '').localeCompare(other.at.file ?? '');
  return byFile === 0 ? (one.at.line ?? 0) - (other.at.line ?? 0) : byFile;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

type Direction = 'request' | 'response';

/** The examples of a document that break their schemas: requests, answers and parameters, each place once. */
export function checkExamples(contract: Contract, validators: Validators): readonly Problem[] {
  const seen = new Set<string>();
  return contract.operations
    .flatMap(listPlaces)
    .flatMap((place) => checkPlace(contract, validators, place))
    .filter(({ at }) => {
      // A part that several operations refer to is one place.
      const key = `${at.file ?? ''}#${at.pointer ?? ''}`;
      return !seen.has(key) && seen.add(key) !== undefined;
    });
}

/** Some examples of one schema. */
interface Place {
  readonly direction: Direction;
  readonly schemaPointer: string;
  readonly examples: readonly Example[];
  readonly in: ViolationPlace;
  /** Of a parameter. */
  readonly name?: string;
}

function listPlaces({ parameters, body, responses }: Operation): readonly Place[] {
  const ofMedia =
    (direction: Direction) =>
    ({ type, schema, schemaPointer, examples }: MediaType): readonly Place[] =>
      // Other types are written as text, which a schema of structures says nothing of.
      schema === undefined || !isJsonType(toEssence(type)) ? [] : [{ direction, schemaPointer, examples, in: 'body' }];
  return [
    ...parameters
      .filter(({ mediaType }) => mediaType === undefined)
      .map(({ schemaPointer, examples, in: from, name }): Place => {
        return { direction: 'request', schemaPointer, examples, in: from === 'querystring' ? 'query' : from, name };
      }),
    ...(body?.content ?? []).flatMap(ofMedia('request')),
    ...responses.flatMap(({ content }) => content.flatMap(ofMedia('response'))),
  ];
}

function checkPlace(contract: Contract, validators: Validators, place: Place): readonly Problem[] {
  const check = validators.check(place.schemaPointer, place.direction);
  return place.examples.flatMap(({ name, value, pointer }) => {
    // Where its value is elsewhere (`externalValue`), nothing is known of it.
    const wrong = value === undefined ? [] : check(value, place.in, place.name).filter(isMistake);
    const [first] = wrong;
    if (first === undefined) return [];
    const code: ProblemCode = 'EXAMPLE_INVALID';
    const which = name === '' ? 'the example' : `the example "${name}"`;
    const more = wrong.length === 1 ? '' : ` (and ${wrong.length - 1} more)`;
    const where = first.pointer === '' ? '' : ` at ${first.pointer}`;
    const message = `${which} breaks its schema${where}: ${first.message}${more}`;
    const problem = { code, severity: 'warning', message, at: contract.locate(pointer) } as const;
    return place.direction === 'request' ? [problem] : [{ ...problem, assumed: 'it is not served' }];
  });
}

/** What is only ever sent is taken out of an example before it is served. */
function isMistake({ severity, code }: Violation): boolean {
  return severity === 'error' && code !== 'WRITE_ONLY';
}
