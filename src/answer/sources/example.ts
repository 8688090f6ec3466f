import type { Contract } from '../../contract/contract.js';
import type { MediaType } from '../../contract/operation.js';
import type { Validators } from '../../http/validate.js';
import { NO_VIOLATIONS } from '../../http/violation.js';
import type { AnswerSource } from '../answer-source.js';
import { chooseResponse } from '../choose-response.js';
import type { ErrorAnswers } from '../error-body.js';

/** What the source of examples is made of. */
export interface ExampleParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly errors: ErrorAnswers;
  /** `fitting` (default) serves the examples that fit their schemas; `verbatim` serves them as they are. */
  readonly examples?: 'fitting' | 'verbatim';
}

interface Candidate {
  readonly name: string;
  readonly value: unknown;
}

/** Answers with the first example of the contract that fits its schema. */
export function createExampleSource(parts: ExampleParts): AnswerSource {
  const chosen = new Map<string, Candidate | undefined>();
  const choose = (media: MediaType): Candidate | undefined => {
    if (chosen.has(media.pointer)) return chosen.get(media.pointer);
    const check = media.schema === undefined ? undefined : parts.validators.check(media.schemaPointer, 'response');
    const fits = ({ value }: Candidate): boolean =>
      parts.examples === 'verbatim' || check === undefined || check(value, 'body').length === 0;
    const found = media.examples.find(fits);
    chosen.set(media.pointer, found);
    return found;
  };
  return {
    name: 'example',
    answer: ({ call }, next) => {
      const choice = chooseResponse(call.operation, { accept: call.headers.get('accept') });
      if (choice?.media === undefined) return next();
      const example = choose(choice.media);
      if (example === undefined) return next();
      return {
        status: choice.status,
        headers: {},
        body: example.value,
        mediaType: choice.mediaType,
        schemaPointer: choice.media.schemaPointer,
        from: example.name === '' ? 'example' : `example:${example.name}`,
        violations: NO_VIOLATIONS,
      };
    },
  };
}
