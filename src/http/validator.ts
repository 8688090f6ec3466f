import { _, Name, nil, type Ajv, type ErrorObject, type KeywordCxt, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { callValidateCode } from 'ajv/dist/vocabularies/code.js';
import formats from 'ajv-formats';
import { readFormats } from './formats.js';
import { readPattern } from '../contract/upgrade/patterns.js';
import { CALL_KEYWORD, FORBIDDEN_KEYWORD, MOST_ERRORS, type UnitLink } from './schema-unit.js';
import { mendKeywords } from './mended-keywords.js';

/** A compiled schema: whether a value is valid, with `errors` of the last value that was not. */
export interface Validate {
  (value: unknown, context?: Parameters<ValidateFunction>[1]): boolean;
  errors?: readonly ErrorObject[] | null;
}

/** What a validator is made for. */
export interface ValidatorOptions {
  /** `quick` stops at the first error and knows little about it; `full` finds all and remembers where each rule stands. */
  readonly depth: 'quick' | 'full';
  readonly link: UnitLink;
  /** Whether `format` is a rule or only a remark (JSON Schema 2020-12 leaves it open). */
  readonly formats: 'assert' | 'annotate';
  /** The compiled unit at a pointer, asked for when the first value gets there. */
  readonly call: (pointer: string) => Validate;
  /** Hears of a pattern that could not be taken as it is. */
  readonly onPattern: (pattern: string, remark: string) => void;
}

/** The schema compiler, with the options that measured best (no inlining, no optimiser) and the keywords that units need. */
export function createValidator(options: ValidatorOptions): Ajv {
  const regExp = (pattern: string): RegExp => {
    const reading = readPattern(pattern);
    if (reading.remark !== undefined) options.onPattern(pattern, reading.remark);
    return reading.expression;
  };
  regExp.code = 'new RegExp';
  const settings: Options = {
    strict: false,
    // JSON text may hold a number beyond the largest one, and JSON.parse makes Infinity of it, which no answer can repeat.
    strictNumbers: true,
    allErrors: options.depth === 'full',
    verbose: options.depth === 'full',
    messages: false,
    meta: false,
    validateSchema: false,
    logger: false,
    addUsedSchema: false,
    inlineRefs: false,
    ownProperties: true,
    // 19.99 is a multiple of 0.01, whatever binary fractions say.
    multipleOfPrecision: 6,
    validateFormats: options.formats === 'assert',
    code: { optimize: false, regExp },
  };
  const ajv = new Ajv2020(settings);
  // Units that are called do not pass on which properties they looked at; those that need it are linked by `$ref`.
  ajv.opts.unevaluated = options.link === 'ref';
  formats.default(ajv, { mode: 'full', keywords: false });
  for (const [name, format] of Object.entries(readFormats())) ajv.addFormat(name, format);
  mendKeywords(ajv);
  ajv.addKeyword({ keyword: FORBIDDEN_KEYWORD, schemaType: 'boolean', code: (context) => context.fail() });
  ajv.addKeyword({ keyword: CALL_KEYWORD, schemaType: 'string', code: (context) => writeCall(context, options.call) });
  return ajv;
}

// The names ajv's own code gives them (ajv/dist/compile/names.js, whose default export not every loader sees alike).
const vErrors = new Name('vErrors');
const errors = new Name('errors');

/** Writes the call of another unit, which is compiled when the first value gets there. */
function writeCall(context: KeywordCxt, call: (pointer: string) => Validate): void {
  const { gen } = context;
  // The keyword's schema type is string.
  const pointer = context.schema as string;
  let validate: Validate | undefined;
  const lazy: Validate = (value, at) => {
    validate ??= call(pointer);
    const valid = validate(value, at);
    lazy.errors = validate.errors ?? null;
    return valid;
  };
  const source = gen.scopeValue('validate', { ref: lazy });
  context.result(callValidateCode(context, source, nil), undefined, () => {
    // Beyond a bound nothing is added: to join the errors of each item of a long list to all before it is quadratic.
    const joined = _`${vErrors}.length < ${MOST_ERRORS} ? ${vErrors}.concat(${source}.errors) : ${vErrors}`;
    gen.assign(vErrors, _`${vErrors} === null ? ${source}.errors : ${joined}`);
    gen.assign(errors, _`${vErrors}.length`);
  });
}
