import type { Contract, Problem } from '../contract/contract.js';
import type { Example, MediaType, Operation } from '../contract/operations/operation.js';
import type { ProblemCode } from '../contract/contract.js';
import { isJsonType, toEssence } from '../http/media-type.js';
import type { Validators } from '../schema/validate.js';
import type { Violation, ViolationPlace } from '../schema/violation.js';

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
