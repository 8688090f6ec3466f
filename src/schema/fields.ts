import { type Fields, type FieldsReader } from '../contract/schema-view/fields.js';
import type { Contract } from '../contract/contract.js';
import { isObject, readOwn, type SchemaObject } from '../base/json.js';
import { child, report, type SourceNode } from '../contract/load/source-node.js';
import { escapeSegment } from '../contract/pointer.js';
import { suggest } from '../base/errors.js';
import type { Validators } from './validate.js';

/** The schemas that the names in a written value are checked against. */
export interface NamesTarget {
  readonly fieldsOf: FieldsReader;
  /** Pointers of the schemas; the value must match one of them. */
  readonly pointers: readonly string[];
  /** How messages name the whole value: `the body of 404`. */
  readonly what: string;
  /** Names that the value itself may have without a declaration. */
  readonly allowed?: ReadonlySet<string>;
}

/** Reports names that no branch of the schemas has; returns whether there are none. */
export function checkNames(node: SourceNode, { allowed, ...target }: NamesTarget): boolean {
  const { value } = node;
  if (typeof value !== 'object' || value === null) return true;
  const fields = target.fieldsOf(target.pointers);
  if (Array.isArray(value)) {
    if (fields.elements.length === 0) return true;
    const items = value.map((_, i) => checkNames(child(node, i), { ...target, pointers: fields.elements }));
    return items.every(Boolean);
  }
  let isKnown = true;
  for (const [name, member] of Object.entries(value)) {
    const pointers = fields.members.get(name);
    // `$parent`, `$content` and the like are marks of the store, not fields.
    if (pointers === undefined && (fields.open || name.startsWith('$') || allowed?.has(name) === true)) continue;
    if (pointers === undefined) {
      reportUnknownField(child(node, name), name, { fields, what: target.what });
      isKnown = false;
    } else if (typeof member === 'object' && !checkNames(child(node, name), { ...target, pointers })) {
      isKnown = false;
    }
  }
  return isKnown;
}

/** A copy of a value without the names that no branch of the schemas has. */
export function omitUnknownNames(value: unknown, { allowed, ...target }: Omit<NamesTarget, 'what'>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const fields = target.fieldsOf(target.pointers);
  if (Array.isArray(value)) {
    if (fields.elements.length === 0) return value;
    return value.map((item: unknown) => omitUnknownNames(item, { ...target, pointers: fields.elements }));
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    const pointers = fields.members.get(name);
    if (pointers !== undefined) return [[name, omitUnknownNames(member, { ...target, pointers })] as const];
    return fields.open || allowed?.has(name) === true ? [[name, member] as const] : [];
  });
  return Object.fromEntries(members);
}

/** Reports a name that a schema does not have. */
export function reportUnknownField(
  node: SourceNode,
  name: string,
  { fields, what, hint: own }: { readonly fields: Fields; readonly what: string; readonly hint?: string | undefined },
): void {
  const known = [...fields.members.keys()];
  const hint = own ?? suggest(name, known) ?? `fields of the schema: ${known.slice(0, 12).join(', ')}`;
  report(node, `${what} has no field ${JSON.stringify(name)}`, hint);
}

/** Levels of a value that are looked at; a schema can contain itself. */
const MAX_LEVELS = 8;

/** The schemas of one value, as far as references and `allOf` lead to them, with their pointers. */
function* listParts(
  contract: Contract,
  pointer: string,
  levels: number,
): Iterable<{ readonly schema: SchemaObject; readonly target: string; readonly left: number }> {
  const start = contract.at(pointer);
  if (!isObject(start) || levels === 0) return;
  const { schema, pointer: target } = contract.resolve(start, pointer);
  if (!isObject(schema)) return;
  yield { schema, target, left: levels - 1 };
  if (!Array.isArray(schema.allOf)) return;
  for (const i of schema.allOf.keys()) yield* listParts(contract, `${target}/allOf/${i}`, levels - 1);
}

/**
 * The pointers of the required properties that a body of an answer lacks, as far as properties, references and `allOf` show.
 *
 * It is a small part of the work of an explanation, for which a schema is compiled; what else is wrong is not known.
 */
export function listMissing(contract: Contract, schemaPointer: string, body: unknown): readonly string[] {
  const missing = new Set<string>();
  const collect = (pointer: string, value: unknown, { at, levels }: { at: string; levels: number }): void => {
    if (!isObject(value)) return;
    for (const { schema, target, left } of listParts(contract, pointer, levels)) {
      const { required, properties = {} } = schema;
      for (const name of Array.isArray(required) ? required : []) {
        const property: unknown = readOwn(properties, name);
        const isWriteOnly = isObject(property) && property['writeOnly'] === true;
        if (!isWriteOnly && !Object.hasOwn(value, name)) missing.add(`${at}/${escapeSegment(name)}`);
      }
      for (const name of Object.keys(value)) {
        if (!Object.hasOwn(properties, name)) continue;
        const step = escapeSegment(name);
        collect(`${target}/properties/${step}`, value[name], { at: `${at}/${step}`, levels: left });
      }
    }
  };
  collect(schemaPointer, body, { at: '', levels: MAX_LEVELS });
  return [...missing];
}

/** The members of a body of an answer that do not fit the schemas of their properties, as far as references and `allOf` lead to these. */
export function listUnfit(
  contract: Contract,
  { accepts }: Pick<Validators, 'accepts'>,
  { schemaPointer, body }: { readonly schemaPointer: string; readonly body: Readonly<Record<string, unknown>> },
): readonly string[] {
  const names = Object.keys(body);
  const unfit = Array.from(listParts(contract, schemaPointer, MAX_LEVELS), ({ schema, target }) =>
    names.filter((name) => {
      const isDeclared = Object.hasOwn(schema.properties ?? {}, name);
      return isDeclared && !accepts(`${target}/properties/${escapeSegment(name)}`, 'response')(body[name]);
    }),
  );
  return [...new Set(unfit.flat())];
}
