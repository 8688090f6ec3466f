import { _, type Ajv, type CodeKeywordDefinition, type KeywordCxt } from 'ajv';

/**
 * Changes how the validator writes some keywords; what they decide stays what JSON Schema says.
 *
 * Unions leave no errors of their alternatives behind, only their own one: they are explained later and by the alternative that
 * was meant, and until then nobody pays for the errors of those that were not. Two keywords are kept from a mistake of ajv 8.20.
 */
export function mendKeywords(ajv: Ajv): void {
  for (const keyword of ['anyOf', 'oneOf', 'contains']) rewrite(ajv, keyword, quiet);
  for (const keyword of ['prefixItems', 'propertyNames']) rewrite(ajv, keyword, goOnAfterNothing);
  rewrite(ajv, 'unevaluatedItems', countFromZero);
}

function rewrite(ajv: Ajv, keyword: string, change: (context: KeywordCxt) => KeywordCxt): void {
  const definition = ajv.getKeyword(keyword);
  if (typeof definition === 'boolean' || !('code' in definition)) return;
  // `code` belongs to no other kind of definition.
  const stock = definition as CodeKeywordDefinition;
  ajv.removeKeyword(keyword);
  ajv.addKeyword({
    ...stock,
    // What of an array was looked at must be known before `unevaluatedItems` asks for the rest.
    ...(stock.type === 'array' && keyword !== 'unevaluatedItems' ? { before: 'unevaluatedItems' } : {}),
    code: (context, ruleType) => stock.code(change(context), ruleType),
  });
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

/**
 * Goes on to the next keyword where there was nothing to look at: an array shorter than `prefixItems`, an object without names.
 * The verdict is unset then, and ajv, where it stops at the first error, takes that for a failure without an error.
 */
function goOnAfterNothing(context: KeywordCxt): KeywordCxt {
  context.ok = (verdict) => {
    if (context.allErrors !== true) context.gen.if(_`${verdict} !== false`);
  };
  return context;
}

/**
 * Gives `unevaluatedItems` a number to count from. How many items were looked at may be known only when it runs, and is `true` for
 * all of them, or unset where the `if` or alternative that would have told was not taken: ajv compares lengths with either.
 */
function countFromZero(context: KeywordCxt): KeywordCxt {
  const { items } = context.it;
  if (items === undefined || typeof items === 'boolean' || typeof items === 'number') return context;
  const { gen } = context;
  context.it.items = gen.const('evaluated', _`${items} === true ? Infinity : ${items} || 0`);
  return context;
}
