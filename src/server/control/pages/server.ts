import type { Contract } from '../../../contract/contract.js';
import { isObject } from '../../../contract/json.js';

/** The document of a contract with the base paths of the mock as its servers. @param root - The URL of the mock without a base path. */
export function withServer(
  { document, operations }: Pick<Contract, 'document' | 'operations'>,
  root: string,
): Contract['document'] {
  const servers = new Map<string, readonly object[]>();
  const first = operations[0] === undefined ? [{ url: root }] : listServers(operations[0].basePaths, root);
  for (const { method, path, basePaths } of operations) servers.set(`${method} ${path}`, listServers(basePaths, root));
  const { paths } = document;
  if (!isObject(paths)) return { ...document, servers: first };
  const moved = Object.entries(paths).map(([path, item]) => [path, isObject(item) ? moveItem(item, path) : item]);
  return { ...document, servers: first, paths: Object.fromEntries(moved) };

  function moveItem(item: Readonly<Record<string, unknown>>, path: string): object {
    const { servers: _, ...rest } = item;
    const members = Object.entries(rest).map(([name, member]) => {
      const own = servers.get(`${name.toUpperCase()} ${path}`);
      if (own === undefined || !isObject(member)) return [name, member];
      const { servers: __, ...operation } = member;
      return [name, isSame(own, first) ? operation : { ...operation, servers: own }];
    });
    return Object.fromEntries(members) as object;
  }
}

function listServers(basePaths: readonly string[], root: string): readonly { readonly url: string }[] {
  // The last one is the root, which is only an alternative to those of the document.
  const paths = basePaths.length > 1 ? basePaths.slice(0, -1) : basePaths;
  return paths.map((path) => ({ url: root.replace(/\/$/, '') + path }));
}

function isSame(one: readonly object[], other: readonly object[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
