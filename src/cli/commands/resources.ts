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
 * operations that belong to no collection.
 *
 * @returns the exit code, 0.
 * @throws MockError if the document cannot be loaded or contains an invalid hint.
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
    if (bindings.length === 0 && !isParent(resources, resource)) continue;
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
  const facts = [
    resource.singleton ? 'singleton' : `id: ${resource.idProperty ?? 'none'}`,
    ...(resource.parents.length === 0 ? [] : [`under ${resource.parents.join(', ')}`]),
    ...(resource.members === undefined ? [] : [`members of ${resource.members}`]),
    ...(resource.once.length === 0 ? [] : [`returned only once: ${resource.once.join(', ')}`]),
    ...(resource.unique.length === 0 ? [] : [`unique: ${resource.unique.join(', ')}`]),
    ...(resource.unknownIds === undefined ? [] : [`unknown ids: ${resource.unknownIds}`]),
    resource.schema === undefined ? 'no schema' : `schema #${resource.schema}`,
  ];
  return `${resource.name}  (${facts.join('; ')})`;
}

function alignBindings(bindings: readonly Binding[]): readonly string[] {
  const rows = bindings.map((binding) => [
    binding.action,
    `${binding.operation.method} ${binding.operation.path}`,
    binding.confidence.toFixed(2),
    binding.why,
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

function bindingsOf(resources: Resources, resource: Resource): readonly Binding[] {
  return [...resources.bindings.values()].filter(({ collection }) => collection === resource.name);
}

function isParent(resources: Resources, resource: Resource): boolean {
  return [...resources.collections.values()].some(({ parents }) => parents.includes(resource.name));
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
