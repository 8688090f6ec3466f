import type { Contract } from '../contract/contract.js';
import type { Operation } from '../contract/operations/operation.js';
import { toPointer } from '../contract/pointer.js';
import { MockError, nearest } from '../errors.js';
import { DOCUMENT_HINT, findHintMistake, OPERATION_HINT, type HintSchema } from './hint-schema.js';
import type { ReadItemSchema } from './item-schema.js';
import type { Binding, Resource } from './resource.js';
import { readPattern } from './text-form.js';

/** @throws MockError `HINT_INVALID` where the `x-mock` of the document is not of its form. */
export function checkDocumentHint(contract: Contract, hint: unknown): void {
  checkForm(contract, { value: hint, pointer: '/x-mock', schema: DOCUMENT_HINT });
}

/** @throws MockError `HINT_INVALID` where the `x-mock` of an operation is not of its form. */
export function checkOperationHint(contract: Contract, operation: Operation, hint: unknown): void {
  checkForm(contract, { value: hint, pointer: toHintPointer(contract, operation), schema: OPERATION_HINT });
}

/** @throws MockError `HINT_INVALID` where a collection's hint names a schema, a property or a pattern that is not there. */
export function checkResource(
  contract: Contract,
  resource: Resource,
  known: { readonly read: ReadItemSchema; readonly names: ReadonlySet<string> },
): void {
  const at = toPointer('x-mock', 'collections', resource.name);
  const schema = resource.schema === undefined ? undefined : known.read(resource.schema);
  if (resource.schema !== undefined && schema === undefined) {
    throw refuse(contract, `${at}/schema`, {
      message: `nothing stands at #${resource.schema}`,
      hint: findSchemaName(contract, resource),
    });
  }
  for (const [member, pattern] of Object.entries(resource.patterns)) {
    if (readPattern(pattern) !== undefined) continue;
    throw refuse(contract, at, {
      message: `the pattern of "${member}" cannot be turned into values: ${pattern}`,
      hint: 'use literals, classes and counts: "^key_[0-9A-Za-z]{24}$"',
    });
  }
  for (const [member, other] of [
    ['members', resource.members],
    ['parent', resource.parents.at(-1)],
  ] as const) {
    if (other !== undefined && !known.names.has(other)) {
      throw refuse(contract, `${at}/${member}`, {
        message: `there is no collection "${other}"`,
        hint: suggest(other, known.names),
      });
    }
  }
  if (schema === undefined || schema.properties.size === 0 || !schema.closed) return;
  for (const name of [...resource.once, ...resource.unique, ...Object.keys(resource.redacts)]) {
    if (schema.properties.has(name)) continue;
    throw refuse(contract, at, {
      message: `an item of "${resource.name}" has no property "${name}"`,
      hint: suggest(name, schema.properties.keys()),
    });
  }
}

/** @throws MockError `HINT_INVALID` where an operation's hint names a parameter or a collection that is not there. */
export function checkBinding(contract: Contract, binding: Binding, collections: ReadonlySet<string>): void {
  const { operation } = binding;
  const at = toHintPointer(contract, operation);
  const names = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  for (const name of [...binding.id, ...binding.parents.flatMap(({ parameters }) => parameters)]) {
    if (names.includes(name)) continue;
    throw refuse(contract, at, {
      message: `${operation.id} has no path parameter "${name}"`,
      hint: suggest(name, names),
    });
  }
  for (const { collection } of binding.parents) {
    if (collections.has(collection)) continue;
    throw refuse(contract, at, {
      message: `there is no collection "${collection}"`,
      hint: suggest(collection, collections),
    });
  }
  if ((binding.action === 'list' || binding.action === 'search') && binding.list === undefined) {
    throw refuse(contract, at, {
      message: `${operation.id} cannot be a list: its answer holds none`,
      hint: 'name its property with "items"',
    });
  }
}

/** The mistake of a hint for a collection that no operation works on. */
export function refuseCollection(contract: Contract, name: string, names: Iterable<string>): MockError {
  const at = toPointer('x-mock', 'collections', name);
  return refuse(contract, at, { message: `no operation works on a collection "${name}"`, hint: suggest(name, names) });
}

function checkForm(
  contract: Contract,
  of: { readonly value: unknown; readonly pointer: string; readonly schema: HintSchema },
): void {
  const mistake = findHintMistake(of.value, of.schema);
  if (mistake !== undefined)
    throw refuse(contract, of.pointer + toPointer(...mistake.segments), {
      message: mistake.message,
      hint: mistake.hint,
    });
}

/** Where the hint of an operation stands: on itself, or on its path item. */
function toHintPointer(contract: Contract, operation: Operation): string {
  const own = `${operation.pointer}/x-mock`;
  return contract.at(own) === undefined ? own.replace(/\/[a-z]+\/x-mock$/, '/x-mock') : own;
}

function findSchemaName(contract: Contract, resource: Resource): string | undefined {
  const schemas = contract.at('/components/schemas');
  const names = typeof schemas === 'object' && schemas !== null ? Object.keys(schemas) : [];
  const meant = nearest(resource.schema?.split('/').at(-1) ?? '', names);
  return meant === undefined ? undefined : `did you mean "#/components/schemas/${meant}"?`;
}

function suggest(given: string, names: Iterable<string>): string | undefined {
  const all = [...names];
  const meant = nearest(given, all);
  if (meant !== undefined) return `did you mean "${meant}"?`;
  return all.length === 0 ? undefined : `there is ${all.slice(0, 10).join(', ')}${all.length > 10 ? ', …' : ''}`;
}

function refuse(
  contract: Contract,
  pointer: string,
  of: { readonly message: string; readonly hint: string | undefined },
): MockError {
  const at = contract.locate(pointer);
  return new MockError('HINT_INVALID', of.message, of.hint === undefined ? { at } : { at, hint: of.hint });
}
