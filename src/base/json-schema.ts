/** A JSON Schema that vouch writes, for editors or for its own options. */
type WrittenSchema = Readonly<Record<string, unknown>>;

/** The schema of an object with these members and no others. */
export function closedObject(properties: Readonly<Record<string, unknown>>, more: WrittenSchema = {}): WrittenSchema {
  return { type: 'object', additionalProperties: false, ...more, properties };
}

/** The schema of an array. */
export function arrayOf(items: unknown): WrittenSchema {
  return { type: 'array', items };
}

/** The schema of a value that fits one of several schemas. */
export function eitherOf(...anyOf: readonly unknown[]): WrittenSchema {
  return { anyOf };
}
