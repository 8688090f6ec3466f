import type { Command } from 'commander';
import { loadContract } from '../../contract/load/load.js';
import { inferResources } from '../../state/inference/infer.js';
import type { Binding, Resource, Resources } from '../../state/resource.js';
import { addDocument, type ReportOptions } from '../flags.js';
import { countOf, type Output } from '../output.js';

/** Defines `vouch resources`. */
export function defineCommand(command: Command, { write }: Output): void {
  addDocument(command)
    .description('show which operations form a resource, with confidence and reason')
    .option('--json', 'print JSON')
    .action(async (spec: string, flags: Omit<ReportOptions, 'spec' | 'write'>) => {
      process.exitCode = await runResources({ spec, ...flags, write });
    });
}

/**
 * `vouch resources`: prints each collection inferred from a document with its operations, their confidence and reason, and the
 * operations that belong to no collection. @throws MockError if the document cannot be loaded or contains an invalid hint.
 */
export async function runResources(options: ReportOptions): Promise<number> {
  const { spec, json = false, overlay: overlays = [], allowHttpRefs, write } = options;
  const contract = await loadContract(spec, { overlays, allowHttpRefs, cacheFolder: false });
  const resources = inferResources(contract);
  if (json) {
    write(JSON.stringify(toReport(resources), undefined, 2));
    return 0;
  }
  for (const resource of resources.collections.values()) {
    const bindings = bindingsOf(resources, resource);
    const isParent = [...resources.collections.values()].some(({ parents }) => parents.includes(resource.name));
    if (bindings.length === 0 && !isParent) continue;
    write(describeResource(resource));
    for (const line of alignBindings(bindings)) write(`  ${line}`);
  }
  const { collections, bindings, unbound } = resources;
  if (unbound.length > 0) write('\nnot bound: answered from examples and schemas');
  for (const { operation, why } of unbound) write(`  ${operation.method} ${operation.path}  ${why}`);
  const total = countOf(bindings.size + unbound.length, 'operation');
  const counts = `${countOf(collections.size, 'collection')}, ${bindings.size} of ${total} bound`;
  write(`\n${contract.title} ${contract.version}: ${counts}`);
  return 0;
}

function describeResource(resource: Resource): string {
  const facts = {
    'under ': resource.parents.join(', '),
    'members of ': resource.members,
    'returned only once: ': resource.once.join(', '),
    'unique: ': resource.unique.join(', '),
    'unknown ids: ': resource.unknownIds,
  };
  const known = Object.entries(facts).flatMap(([label, fact = '']) => (fact === '' ? [] : [label + fact]));
  const id = resource.singleton ? 'singleton' : `id: ${resource.idProperty ?? 'none'}`;
  const schema = resource.schema === undefined ? 'no schema' : `schema #${resource.schema}`;
  return `${resource.name}  (${[id, ...known, schema].join('; ')})`;
}

function alignBindings(bindings: readonly Binding[]): readonly string[] {
  const rows = bindings.map(({ action, operation: { method, path }, confidence, why }) => {
    return [action, `${method} ${path}`, confidence.toFixed(2), why];
  });
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

function bindingsOf(resources: Resources, resource: Resource): readonly Binding[] {
  return [...resources.bindings.values()].filter(({ collection }) => collection === resource.name);
}

function toReport(resources: Resources): object {
  const { collections, unbound } = resources;
  return {
    collections: [...collections.values()].map((resource) => {
      const { name, path, singleton, idProperty: id, parents, members, once, unique, unknownIds } = resource;
      const schema = resource.schema === undefined ? undefined : `#${resource.schema}`;
      const operations = bindingsOf(resources, resource).map(({ operation, action, set, within, confidence, why }) => {
        const { id: operationId, method, path } = operation;
        return { operation: operationId, method, path, action, set, within, confidence, why };
      });
      return { name, path, singleton, id, parents, members, once, unique, schema, unknownIds, operations };
    }),
    unbound: unbound.map(({ operation: { id: operation, method, path }, why }) => ({ operation, method, path, why })),
  };
}
