import { loadContract } from '../../src/contract/load/load.js';
import { createGenerator, type GenerateContext, type Generator } from '../../src/generate/generate.js';
import { createValidators } from '../../src/schema/validate.js';
import type { Violation } from '../../src/schema/violation.js';
import { toDocument } from '../operation-parts.js';

/** A generator over a document that holds nothing but schemas. */
export interface OneSchema {
  readonly generator: Generator;
  readonly notes: readonly string[];
  /** A value of the schema called `Subject`. */
  value(context?: Partial<GenerateContext>): unknown;
  complete(partial: unknown, context?: Partial<GenerateContext>): unknown;
  check(value: unknown, direction?: 'request' | 'response'): readonly Violation[];
}

/** 2026-01-01T00:00:00Z. */
export const NOW: number = Date.UTC(2026, 0, 1);

const POINTER = '/components/schemas/Subject';

/** Opens a schema, with others beside it that it may refer to as `#/components/schemas/…`. */
export async function openSchema(subject: unknown, others: Readonly<Record<string, unknown>> = {}): Promise<OneSchema> {
  const contract = await loadContract(toDocument({}, { Subject: subject, ...others }));
  const validators = createValidators(contract);
  const generator = createGenerator(contract, validators);
  const notes: string[] = [];
  const fill = (context: Partial<GenerateContext>): GenerateContext => ({
    seed: 1,
    key: 'subject',
    direction: 'response',
    now: NOW,
    note: (line) => notes.push(line),
    ...context,
  });
  return {
    generator,
    notes,
    value: (context = {}) => generator.value(POINTER, fill(context)),
    complete: (partial, context = {}) => generator.complete(POINTER, partial, fill(context)),
    check: (value, direction = 'response') =>
      validators
        .check(POINTER, direction)(value, 'body')
        .filter(({ severity }) => severity === 'error'),
  };
}
