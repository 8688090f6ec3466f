import { isDeepStrictEqual } from 'node:util';
import { formatPlace } from '../../base/errors.js';
import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../base/json.js';
import type { Call } from '../../http/request/call.js';
import { writeCollectionHint, writeOperationHint } from '../../resources/infer/write-hint.js';
import { describeReloads } from './reloads.js';
import { answerJson } from './answer.js';
import type { ControlHandlers, ControlledParts } from './routes.js';

/** An operation that state has nothing to do with. */
const NO_BINDING = { collection: undefined, action: undefined, why: undefined };

/** The operations on the mock as a whole. */
export function mockHandlers(parts: ControlledParts): ControlHandlers {
  const { contract, sessions, editors, resources, prefix } = parts;
  return {
    getHealth: () => answerJson(200, { status: 'ok', title: contract.title, sessions: sessions.list().length }),
    getReload: () => answerJson(200, describeReloads(parts.reloads)),
    reloadFiles: async () => {
      await parts.reloads.reload();
      return answerJson(200, describeReloads(parts.reloads));
    },
    getContract: () => {
      const unbound = new Map(resources.unbound.map(({ operation, why }) => [operation.id, { ...NO_BINDING, why }]));
      return answerJson(200, {
        title: contract.title,
        version: contract.version,
        hash: contract.hash,
        controlPrefix: prefix,
        operations: contract.operations.map(({ id, method, path, summary, deprecated, responses }) => {
          const binding = resources.bindings.get(id);
          const { collection, action, why } = binding ?? unbound.get(id) ?? NO_BINDING;
          const statuses = responses.map(({ status }) => status);
          const inferred = binding && { confidence: binding.confidence, hint: writeOperationHint(binding) };
          return { id, method, path, summary, deprecated, statuses, collection, action, why, ...inferred };
        }),
        resources: [...resources.collections.values()].map((resource) => {
          const { name, path, parents, singleton, members } = resource;
          return { name, path, parents, singleton, members, hint: writeCollectionHint(resource) };
        }),
        collections: editors.names,
        problems: contract.problems.map(({ code, severity, message, assumed, at }) => {
          return { code, severity, message, assumed, at: formatPlace(at) };
        }),
      });
    },
    getContractDocument: () => answerJson(200, contract.document),
    getOpenApiJson: ({ call }) => answerJson(200, readDocument(parts, call)),
    getOpenApiYaml: async ({ call }) => {
      const { dump } = await import('js-yaml');
      const text = dump(readDocument(parts, call), { noRefs: true, lineWidth: -1 });
      return { ...answerJson(200, text), mediaType: 'application/yaml' };
    },
  };
}

/** The document, with the URL of the mock as its server where the query parameter `server` names it. */
function readDocument({ contract }: ControlledParts, call: Call): Contract['document'] {
  const server = call.query['server'];
  return typeof server === 'string' ? withServer(contract, server) : contract.document;
}

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
      return [name, isDeepStrictEqual(own, first) ? operation : { ...operation, servers: own }];
    });
    return Object.fromEntries(members) as object;
  }
}

function listServers(basePaths: readonly string[], root: string): readonly { readonly url: string }[] {
  // The last one is the root, which is only an alternative to the paths of the document.
  const paths = basePaths.length > 1 ? basePaths.slice(0, -1) : basePaths;
  return paths.map((path) => ({ url: root.replace(/\/$/, '') + path }));
}
