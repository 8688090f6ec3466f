import type { Answer } from '../../http/answer.js';
import { NO_VIOLATIONS } from '../../schema/violation.js';
import type { AnswerSource, Exchange, SourceParts } from '../chain.js';
import { chooseResponse, type ResponseChoice } from '../choose-response.js';
import { createDeclaredHeaders, locateCreated } from '../declared-headers.js';
import { createExampleReader } from '../examples.js';
import { createGenerateAnswer, readContext } from './generate.js';

/** What the example source is created from. */
export interface ExampleParts extends SourceParts {
  /** `fitting` (default) serves examples that fit their schemas, `verbatim` any of them unchanged. */
  readonly examples?: 'fitting' | 'verbatim' | undefined;
}

/** Answers with an example of a response; undefined if it has none that can be served. */
export type ExampleAnswer = (exchange: Exchange, choice: ResponseChoice, name?: string) => Answer | undefined;

/**
 * Answers with the first example of the contract that fits its schema.
 *
 * If none of several fits, the first one is repaired: its valid parts are kept, the rest is generated.
 */
export function createExampleSource(parts: ExampleParts): AnswerSource {
  const answerExample = createExampleAnswer(parts);
  return {
    name: 'example',
    hint: 'Correct the example in the contract, or serve examples unchanged with examples: verbatim.',
    answer: (exchange, next) => {
      const { call } = exchange;
      const choice = chooseResponse(call.operation, call.headers.get('accept'));
      return (choice && answerExample(exchange, choice)) ?? next();
    },
  };
}

/** Creates a function that answers with examples. */
export function createExampleAnswer(parts: ExampleParts): ExampleAnswer {
  const readExamples = createExampleReader(parts.contract, parts.validators, parts.examples);
  const writeHeaders = createDeclaredHeaders(parts.generator, parts.validators);
  const generate = createGenerateAnswer(parts);
  return (exchange, choice, name) => {
    const { media, mediaType, status, response } = choice;
    if (media === undefined || response === undefined) return undefined;
    const { fitting, broken } = readExamples(media);
    const example = name === undefined ? fitting[0] : fitting.find((one) => one.name === name);
    if (example === undefined) {
      const repairable = name === undefined ? broken.find(({ value }) => value !== null) : undefined;
      if (repairable === undefined) return undefined;
      const why = repairable.violations[0]?.message ?? 'it does not fit';
      exchange.note(
        `example "${repairable.name}" breaks its schema (${why}): its valid parts were kept, the rest generated`,
      );
      return generate(exchange, choice, { hint: repairable.value });
    }
    const located = locateCreated(exchange.call, response, { status, body: example.value });
    const fields = response.headers.length === 0 ? {} : writeHeaders(response, readContext(exchange), located);
    return {
      status,
      headers: { ...fields, ...located },
      body: example.value,
      mediaType,
      schemaPointer: media.schema === undefined ? undefined : media.schemaPointer,
      from: example.name === '' ? 'example' : `example:${example.name}`,
      violations: NO_VIOLATIONS,
      ...(parts.examples === 'verbatim' ? { violates: 'examples are served unchanged' } : {}),
    };
  };
}
