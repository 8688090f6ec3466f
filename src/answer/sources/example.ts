import type { Contract } from '../../contract/contract.js';
import type { Generator } from '../../generate/generate.js';
import type { Answer } from '../../http/answer.js';
import type { Validators } from '../../schema/validate.js';
import { NO_VIOLATIONS } from '../../schema/violation.js';
import type { AnswerSource, Exchange } from '../chain.js';
import { chooseResponse, type ResponseChoice } from '../choose-response.js';
import { createDeclaredHeaders, locateCreated } from '../declared-headers.js';
import type { ErrorAnswers } from '../error-answers.js';
import { createExamples, type Examples, type FittingExample } from '../examples.js';
import { createGenerateAnswer, type GenerateAnswer, readContext } from './generate.js';

/** What the example source is created from. */
export interface ExampleParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly generator: Generator;
  readonly errors: ErrorAnswers;
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
      const choice = chooseResponse(call.operation, { accept: call.headers.get('accept') });
      if (choice?.media === undefined) return next();
      return answerExample(exchange, choice) ?? next();
    },
  };
}

/** Creates a function that answers with examples. */
export function createExampleAnswer(parts: Omit<ExampleParts, 'errors'>): ExampleAnswer {
  const examples = createExamples(parts.contract, parts.validators, parts.examples);
  const headers = createDeclaredHeaders(parts.generator, parts.validators);
  const generate = createGenerateAnswer(parts);
  return (exchange, choice, name) => {
    const { media, mediaType, status, response } = choice;
    if (media === undefined || response === undefined) return undefined;
    const { fitting } = examples.of(media);
    const example = name === undefined ? fitting[0] : fitting.find((one) => one.name === name);
    if (example === undefined)
      return name === undefined ? repairExample({ examples, generate }, exchange, choice) : undefined;
    const located = locateCreated(exchange.call, response, { status, body: example.value });
    const fields = response.headers.length === 0 ? {} : headers.fields(response, readContext(exchange), located);
    return {
      status,
      headers: { ...fields, ...located },
      body: example.value,
      mediaType,
      schemaPointer: media.schema === undefined ? undefined : media.schemaPointer,
      from: toSourceName(example),
      violations: NO_VIOLATIONS,
      ...(parts.examples === 'verbatim' ? { violates: 'examples are served unchanged' } : {}),
    };
  };
}

function toSourceName({ name }: FittingExample): string {
  return name === '' ? 'example' : `example:${name}`;
}

function repairExample(
  parts: { readonly examples: Examples; readonly generate: GenerateAnswer },
  exchange: Exchange,
  choice: ResponseChoice,
): Answer | undefined {
  if (choice.media === undefined) return undefined;
  const { broken } = parts.examples.of(choice.media);
  const example = broken.find(({ value }) => value !== null);
  if (example === undefined) return undefined;
  const why = example.violations[0]?.message ?? 'it does not fit';
  exchange.note(`example "${example.name}" breaks its schema (${why}): its valid parts were kept, the rest generated`);
  return parts.generate(exchange, choice, { hint: example.value });
}
