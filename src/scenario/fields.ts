import type { Contract } from '../contract/contract.js';
import { escapeSegment } from '../contract/pointer.js';
import type { Schema } from '../contract/json.js';

/** The names an object may have as far as its schema says, whatever branch is taken. */
export interface Fields {
  /** By name: where the schemas of the property stand. */
  readonly properties: ReadonlyMap<string, readonly string[]>;
  /** Where the schemas of list items stand. */
  readonly items: readonly string[];
  /** Whether other names are invited: `additionalProperties` or `patternProperties` is written, or no property is. */
  readonly open: boolean;
  /** Names that must be there in every branch. */
  readonly required: ReadonlySet<string>;
}

interface Draft {
  readonly properties: Map<string, string[]>;
  readonly items: string[];
  readonly required: Set<string>;
  open: boolean;
}

/** The fields of the schemas at these pointers together; `$ref`, `allOf`, `anyOf` and `oneOf` are followed. */
export function readFields(contract: Contract, pointers: readonly string[]): Fields {
  const draft: Draft = { properties: new Map(), items: [], required: new Set(), open: false };
  const seen = new Set<string>();
  for (const pointer of pointers) collect(contract, { pointer, optional: false }, { draft, seen });
  return { ...draft, open: draft.open || draft.properties.size === 0 };
}

function collect(
  contract: Contract,
  from: { readonly pointer: string; readonly optional: boolean },
  into: { readonly draft: Draft; readonly seen: Set<string> },
): void {
  const { draft, seen } = into;
  if (seen.has(from.pointer)) return;
  seen.add(from.pointer);
  // Pointers come from the contract and from keywords that hold schemas, so a schema stands there.
  const schema = contract.at(from.pointer) as Schema | undefined;
  if (typeof schema !== 'object' || schema === null) {
    draft.open ||= schema === true;
    return;
  }
  if (schema.$ref !== undefined) {
    collect(contract, { pointer: contract.resolve(schema, from.pointer).pointer, optional: from.optional }, into);
  }
  for (const name of Object.keys(schema.properties ?? {})) {
    const places = draft.properties.get(name) ?? [];
    draft.properties.set(name, [...places, `${from.pointer}/properties/${escapeSegment(name)}`]);
  }
  if (!from.optional) for (const name of schema.required ?? []) draft.required.add(name);
  if (schema.items !== undefined) draft.items.push(`${from.pointer}/items`);
  if (schema.patternProperties !== undefined || isInviting(schema.additionalProperties)) draft.open = true;
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    const optional = from.optional || keyword !== 'allOf';
    (schema[keyword] ?? []).forEach((_, index) =>
      collect(contract, { pointer: `${from.pointer}/${keyword}/${index}`, optional }, into),
    );
  }
}

function isInviting(schema: Schema | undefined): boolean {
  return schema !== undefined && schema !== false;
}
