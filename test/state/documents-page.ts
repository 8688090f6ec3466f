import { isStatus } from '../../src/resources/item/server-values.js';
import type { Binding, Resource, Resources } from '../../src/resources/item/resource.js';
import { inferDocument, loadDocument } from './real-document.js';

const INTRODUCTION = `# What is inferred from real documents

The collections that vouch infers from five public documents, without hints. A bound operation reads or changes a collection; examples and schemas
answer the others. \`inference.test.ts\` compares more than 100 lines with the documentation of the services; \`lifecycle.test.ts\` creates, lists,
reads, updates and deletes an item of every collection that has these operations.

| in the tables | meaning |
| --- | --- |
| \`(none)\` as the id | its items have no id |
| \`(one)\` as the id | a singleton: there is one item, which needs no id |
| members of \`files\` | its items are memberships: each refers to an item of \`files\`, which stays when the membership is deleted |
| ×2 | two operations do the same |
| list by customer | the operation is below a parent, and covers the part of the collection that belongs to it |
| cancel → cancelled | an action, and the status or the property that it sets |
`;

/** One document of the page. */
export interface PageDocument {
  readonly title: string;
  readonly spec: string;
}

/** What is inferred from public documents, as `inferred.md`. */
export async function createDocumentsPage(documents: readonly PageDocument[]): Promise<string> {
  let page = INTRODUCTION;
  const summary: string[] = [];
  for (const { title, spec } of documents) {
    const contract = await loadDocument(spec);
    const resources = await inferDocument(spec);
    const name = `${title} ${contract.version}`;
    summary.push(summarise(name, contract.operations.length, resources));
    page += `\n## ${name}\n\n${describeResources(resources)}`;
  }
  const head =
    '\n| document | operations | collections | bound | not bound | with create, read and delete |\n| --- | --- | --- | --- | --- | --- |\n';
  return page.replace(INTRODUCTION, `${INTRODUCTION}${head}${summary.join('\n')}\n`);
}

function summarise(name: string, operations: number, resources: Resources): string {
  const used = findUsed(resources);
  const whole = used.filter((resource) =>
    ['create', 'read', 'delete'].every((action) =>
      bindingsOf(resources, resource).some((each) => each.action === action),
    ),
  );
  const share = Math.round((resources.bindings.size / operations) * 100);
  return `| ${name} | ${operations} | ${used.length} | ${resources.bindings.size} (${share} %) | ${resources.unbound.length} | ${whole.length} |`;
}

function describeResources(resources: Resources): string {
  const rows = findUsed(resources).map((resource) => {
    const members = resource.members === undefined ? '' : ` (members of \`${resource.members}\`)`;
    return `| \`${resource.name}\`${members} | ${describeId(resource)} | ${describeActions(bindingsOf(resources, resource))} |\n`;
  });
  const left = resources.unbound.map(({ operation, why }) => `| ${operation.method} ${operation.path} | ${why} |\n`);
  const head = '| collection | id | operations |\n| --- | --- | --- |\n';
  return `${head}${rows.join('')}\nNot bound:\n\n| operation | why |\n| --- | --- |\n${left.join('')}`;
}

function describeId(resource: Resource): string {
  if (resource.singleton) return '(one)';
  return resource.keyProperties.length > 0 ? resource.keyProperties.join('/') : (resource.idProperty ?? '(none)');
}

function describeActions(bindings: readonly Binding[]): string {
  const counts = new Map<string, number>();
  for (const binding of bindings) {
    const action = describeAction(binding);
    counts.set(action, (counts.get(action) ?? 0) + 1);
  }
  return [...counts].map(([action, count]) => (count === 1 ? action : `${action} ×${count}`)).join(', ');
}

function describeAction({ action, operation, set, within }: Binding): string {
  if (action !== 'act' && action !== 'search' && action !== 'copy')
    return within?.property === undefined ? action : `${action} by ${within.property}`;
  const word =
    operation.path
      .replace(/[?#].*/, '')
      .split('/')
      .at(-1) ?? '';
  const leads = Object.entries(set).map(([name, value]) => ` → ${isStatus(name) ? String(value) : name}`);
  return `${word.startsWith('{') ? operation.method : word}${leads.join('')}`;
}

function findUsed(resources: Resources): readonly Resource[] {
  return [...resources.collections.values()].filter((resource) => bindingsOf(resources, resource).length > 0);
}

function bindingsOf(resources: Resources, resource: Resource): readonly Binding[] {
  return [...resources.bindings.values()].filter(({ collection }) => collection === resource.name);
}
