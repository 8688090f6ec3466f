import { randomUUID } from 'node:crypto';
import { registerSchema, unregisterSchema } from '@hyperjump/json-schema/draft-2020-12';
import { BASIC, compile, getSchema, interpret } from '@hyperjump/json-schema/experimental';
import { fromJs } from '@hyperjump/json-schema/instance/experimental';
import type { Contract } from '../../src/contract/contract.js';
import { isObject } from '../../src/base/json.js';

/** Validates a value with an independent validator and returns its errors. */
export type SecondCheck = (schemaPointer: string, value: unknown) => Promise<readonly string[]>;

/** Keywords whose values are not schemas; a property can have the same name. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set([
  'example',
  'examples',
  'default',
  'const',
  'enum',
  'xml',
  'externalDocs',
  'discriminator',
]);
const NAMED_SCHEMAS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);

/**
 * A checker of answers over @hyperjump/json-schema. All that the contract's answers refer to is one schema, compiled once with
 * the first answer: what two answers have in common is most of a large document.
 */
export function createSecondCheck(contract: Contract): SecondCheck {
  const answers = listAnswers(contract);
  let ofAnswers: Promise<Compiled> | undefined;
  const others = new Map<string, Promise<Compiled>>();
  const find = (schemaPointer: string): Promise<Compiled> => {
    if (answers.has(schemaPointer)) return (ofAnswers ??= compileSchemas(contract, [...answers]));
    const compiled = others.get(schemaPointer) ?? compileSchemas(contract, [schemaPointer]);
    others.set(schemaPointer, compiled);
    return compiled;
  };
  return async (schemaPointer, value) => {
    const { ast, schemaUris } = await find(schemaPointer);
    const schemaUri = schemaUris.get(schemaPointer) ?? '';
    // The body was parsed from JSON.
    const output = interpret({ ast, schemaUri }, fromJs(value as Parameters<typeof fromJs>[0]), BASIC);
    if (output.valid) return [];
    return (output.errors ?? []).map(
      (error) => `${error.instanceLocation} breaks ${error.absoluteKeywordLocation.replace(/^.*#/, '#')}`,
    );
  };
}

interface Compiled {
  readonly ast: Parameters<typeof interpret>[0]['ast'];
  /** By pointer of the contract. */
  readonly schemaUris: ReadonlyMap<string, string>;
}

function listAnswers({ operations }: Contract): ReadonlySet<string> {
  const content = operations.flatMap(({ responses }) => responses.flatMap((response) => response.content));
  return new Set(content.filter(({ schema }) => schema !== undefined).map(({ schemaPointer }) => schemaPointer));
}

async function compileSchemas(contract: Contract, pointers: readonly string[]): Promise<Compiled> {
  const names = new Map<string, string>();
  const schemas: Record<string, unknown> = {};
  const nameOf = (pointer: string): string => {
    const known = names.get(pointer);
    if (known !== undefined) return known;
    const name = String(names.size);
    names.set(pointer, name);
    schemas[name] = copy(contract.at(pointer) ?? true, nameOf);
    return name;
  };
  const roots = pointers.map(nameOf);
  const uri = `https://second.test/${contract.hash}/${randomUUID()}`;
  const whole = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    prefixItems: roots.map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: schemas,
  };
  // Built from schemas of the document; the registry validates it against the meta-schema.
  registerSchema(whole as never, uri);
  try {
    const { ast } = await compile(await getSchema(uri));
    return { ast, schemaUris: new Map([...names].map(([pointer, name]) => [pointer, `${uri}#/$defs/${name}`])) };
  } finally {
    unregisterSchema(uri);
  }
}

function copy(schema: unknown, nameOf: (pointer: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => copy(item, nameOf));
  if (!isObject(schema)) return schema;
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === '$ref' && typeof value === 'string')
      result[keyword] = `#/$defs/${nameOf(decodeURIComponent(value.slice(1)))}`;
    else if (keyword === 'const' || keyword === 'enum') result[keyword] = value;
    else if (keyword.startsWith('x-') || DATA_KEYWORDS.has(keyword) || keyword === '$id' || keyword === '$anchor')
      continue;
    else if (keyword === 'format' || (keyword === 'pattern' && !isPattern(value))) continue;
    else if (keyword === 'required' && Array.isArray(value))
      result[keyword] = value.filter((name) => !isWriteOnly(schema, name));
    else if (NAMED_SCHEMAS.has(keyword) && isObject(value))
      result[keyword] = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copy(inner, nameOf)]));
    else result[keyword] = copy(value, nameOf);
  }
  return result;
}

/** The second validator compiles with the `u` flag, which rejects patterns that exist in documents. */
function isPattern(pattern: unknown): boolean {
  try {
    return new RegExp(String(pattern), 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** `writeOnly` properties are not required in a response (OpenAPI 3.1 section 4.8.24, JSON Schema validation 9.4). */
function isWriteOnly(schema: Readonly<Record<string, unknown>>, name: unknown): boolean {
  const properties = schema['properties'];
  const property = isObject(properties) ? properties[String(name)] : undefined;
  return isObject(property) && property['writeOnly'] === true;
}
