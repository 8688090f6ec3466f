import { arrayOf } from '../../base/json-schema.js';
import type { Command } from 'commander';
import { join, relative } from 'node:path';
import { inferResources } from '../../resources/infer/infer.js';
import { isObject } from '../../base/json.js';
import { optionsSchema } from '../../mock/read-options.js';
import { fixtureSchema, scenarioSchema } from '../../features/scenario/definition/schema.js';
import { loadDocument } from '../document.js';
import { type Output, showPath, writeOutputFile } from '../output.js';
import { countOf } from '../../base/errors.js';
import { createTransportSchemas } from '../transport.js';

/** Options of `vouch schema`: the path or URL of the document, and the folder to write to. */
interface SchemaOptions extends Pick<Output, 'write'> {
  readonly spec: string;
  readonly out: string;
}

/** Defines `vouch schema`. */
export function defineCommand(command: Command, { write }: Output): void {
  command
    .argument('<spec>', 'OpenAPI document: a file or URL')
    .option('--out <folder>', 'folder to write to', '.vouch')
    .action(async (spec: string, flags: Pick<SchemaOptions, 'out'>) => {
      process.exitCode = await runSchema({ spec, ...flags, write });
    });
}

/** `vouch schema`: writes JSON Schemas of scenario, fixture and configuration files. @throws MockError if the document cannot be loaded. */
export async function runSchema({ spec, out, write }: SchemaOptions): Promise<number> {
  const contract = await loadDocument({ spec });
  const collections = [...inferResources(contract).collections.values()];
  const scenarios = join(out, 'scenario.schema.json');
  writeSchema(scenarios, scenarioSchema(contract, collections));
  const counts = `${countOf(contract.operations.length, 'operation')}, ${countOf(collections.length, 'collection')}`;
  write(`${showPath(scenarios)}  ${counts}`);
  for (const collection of collections) {
    const file = join(out, 'fixtures', `${collection.name.replaceAll(/[^\w.-]/g, '_')}.schema.json`);
    writeSchema(file, fixtureSchema(contract, collection));
    write(showPath(file));
  }
  const config = join(out, 'config.schema.json');
  writeSchema(config, configSchema());
  write(showPath(config));
  write('\nTo use the schema in an editor, start each scenario file with this line:');
  write(`# yaml-language-server: $schema=${relative('scenarios', scenarios).replaceAll('\\', '/')}`);
  return 0;
}

/** The JSON Schema of `vouch.config.json` and `vouch.config.yaml`. */
function configSchema(): object {
  const { properties, ...schema } = optionsSchema();
  const more = {
    $schema: { type: 'string' },
    handlers: { description: 'The path of a module that exports handlers.', type: 'string' },
    ...createTransportSchemas(),
  };
  const own = { handlers: more.handlers, ...(isObject(properties) ? properties : {}) };
  const named = { name: { type: 'string' }, host: { type: 'string' }, ...own };
  const documents = {
    description: 'Several documents to serve together, instead of `spec`.',
    ...arrayOf({ ...schema, properties: named }),
  };
  return { ...schema, properties: { ...more, ...own, documents } };
}

function writeSchema(file: string, schema: object): void {
  writeOutputFile(file, `${JSON.stringify(schema, undefined, 2)}\n`);
}
