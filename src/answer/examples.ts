import type { Contract } from '../contract/contract.js';
import { isObject } from '../contract/json.js';
import type { MediaType } from '../contract/operations/operation.js';
import { readSegments } from '../contract/pointer.js';
import { memoize } from '../memoize.js';
import type { Validators } from '../schema/validate.js';
import type { Violation } from '../schema/violation.js';

/** An example that can be sent. */
interface FittingExample {
  /** `''` for one without a name. */
  readonly name: string;
  readonly value: unknown;
}

/** The examples of one media type: those that can be sent, and those that break the schema. */
interface ExampleReport {
  readonly fitting: readonly FittingExample[];
  readonly broken: readonly (FittingExample & { readonly violations: readonly Violation[] })[];
}

/**
 * Creates a reader of examples: those of the media type in their order, then those of its schema, checked once.
 *
 * `writeOnly` properties are removed. With `verbatim` an example counts as fitting although it breaks the schema, except null.
 */
export function createExampleReader(
  contract: Contract,
  validators: Validators,
  policy: 'fitting' | 'verbatim' = 'fitting',
): (media: MediaType) => ExampleReport {
  return memoize((media) => {
    const fitting: FittingExample[] = [];
    const broken: ExampleReport['broken'][number][] = [];
    const check = media.schema === undefined ? undefined : validators.check(media.schemaPointer, 'response');
    for (const example of listCandidates(contract, media)) {
      const violations = findErrors(check?.(example.value, 'body'));
      const secret = violations.filter(({ code }) => code === 'WRITE_ONLY');
      const value = secret.reduce((left, { pointer }) => without(left, readSegments(pointer)), example.value);
      const left = secret.length === 0 ? violations : findErrors(check?.(value, 'body'));
      if (left.length === 0 || (policy === 'verbatim' && value !== null)) fitting.push({ name: example.name, value });
      else broken.push({ ...example, violations: left });
    }
    return { fitting, broken };
  });
}

function listCandidates(contract: Contract, media: MediaType): readonly FittingExample[] {
  const own = media.examples.map(({ name, value }) => ({ name, value }));
  if (!isObject(media.schema)) return own;
  const target = contract.resolve(media.schema, media.schemaPointer).schema;
  const schemas = target === media.schema ? [media.schema] : [media.schema, target];
  const values = schemas.flatMap((schema): readonly unknown[] => {
    if (!isObject(schema)) return [];
    const single = schema['example'] === undefined ? [] : [schema['example']];
    return single.concat(Array.isArray(schema['examples']) ? schema['examples'] : []);
  });
  return [...own, ...values.map((value) => ({ name: '', value }))];
}

function findErrors(violations: readonly Violation[] | undefined): readonly Violation[] {
  return violations?.filter(({ severity }) => severity === 'error') ?? [];
}

/** A copy of a value without the part at a pointer. */
function without(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown, i) => (String(i) === step ? without(item, rest) : item));
  const { [step]: child, ...others } = value as Readonly<Record<string, unknown>>;
  return rest.length === 0 ? others : { ...others, [step]: without(child, rest) };
}
