import type { Ajv, CodeKeywordDefinition, KeywordCxt } from 'ajv';

/**
 * Makes the validator's unions leave no errors of their alternatives behind, only their own one.
 *
 * They decide as before. A union is explained later and by the alternative that was meant, so until then nobody pays for the
 * errors of those that were not.
 */
export function quietUnions(ajv: Ajv): void {
  for (const keyword of ['anyOf', 'oneOf', 'contains']) {
    const definition = ajv.getKeyword(keyword);
    if (typeof definition === 'boolean' || !('code' in definition)) continue;
    // `code` belongs to no other kind of definition.
    const stock = definition as CodeKeywordDefinition;
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      ...stock,
      // What an array's items were checked by must be known before `unevaluatedItems` looks at the rest.
      ...(keyword === 'contains' ? { before: 'unevaluatedItems' } : {}),
      code: (context, ruleType) => stock.code(quiet(context), ruleType),
    });
  }
}

/** The context of one keyword, its parts silent and its own error in place of theirs. */
function quiet(context: KeywordCxt): KeywordCxt {
  const error = context.error.bind(context);
  const subschema = context.subschema.bind(context);
  context.error = (...report) => {
    context.reset();
    error(...report);
  };
  context.subschema = (part, valid) => subschema({ ...part, createErrors: false, allErrors: false }, valid);
  return context;
}
