// Groups of keywords of JSON Schema.

/** Keywords that say nothing about the values of a schema. */
export const ANNOTATIONS: RegExp = /^(description|title|xml|externalDocs|x-.*)$/;

/** Keywords that do not limit values more than their type. */
export const NOT_LIMITING: RegExp = /^(?:type|title|description|examples?|default|deprecated|x-.*)$/;

/** Keywords whose schemas do not apply to the value, or, for `contentSchema`, to a string in it. */
export const OTHER_VALUES: ReadonlySet<string> = new Set(['$defs', 'definitions', 'contentSchema']);

/** Keywords that a schema does not have if it accepts anything. */
export const DESCRIBING = ['properties', 'required', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'items'] as const;

/** Keywords that set the least number, size or length. */
export const LOWER_BOUNDS = ['exclusiveMinimum', 'minimum', 'minItems', 'minLength', 'minProperties'] as const;

/** Keywords that set the greatest one. */
export const UPPER_BOUNDS = ['exclusiveMaximum', 'maximum', 'maxItems', 'maxLength', 'maxProperties'] as const;
