import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { loadContract } from '../../contract/load/load.js';
import { fixtureSchema, scenarioSchema } from '../../scenario/definition/schema.js';
import { inferResources } from '../../state/inference/infer.js';

/** What `vouch schema` is told. */
export interface SchemaOptions {
  /** A path or URL of the contract. */
  readonly spec: string;
  /** The folder the schemas are written to; `.vouch` unless told otherwise. */
  readonly out: string;
  /** Takes one line of output. */
  write(line: string): void;
}

/**
 * `vouch schema`: writes the JSON Schemas of scenario and fixture files, generated from the contract, for an editor.
 *
 * @returns the exit code, 0.
 * @throws MockError where the contract cannot be read.
 */
export async function runSchema(options: SchemaOptions): Promise<number> {
  const contract = await loadContract(options.spec);
  const resources = [...inferResources(contract).collections.values()];
  const collections = resources.map(({ name, schema }) => ({ name, schemaPointer: schema }));
  const scenarios = join(options.out, 'scenario.schema.json');
  await writeSchema(scenarios, scenarioSchema(contract, collections));
  options.write(`${show(scenarios)}  ${contract.operations.length} operations, ${collections.length} collections`);
  for (const collection of collections) {
    const file = join(options.out, 'fixtures', `${collection.name.replaceAll(/[^\w.-]/g, '_')}.schema.json`);
    await writeSchema(file, fixtureSchema(contract, collection));
    options.write(show(file));
  }
  options.write('');
  options.write('The first line of a scenario tells an editor where its schema is:');
  options.write(`# yaml-language-server: $schema=../${show(scenarios)}`);
  return 0;
}

async function writeSchema(file: string, schema: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(schema, undefined, 2)}\n`);
}

function show(file: string): string {
  return relative(process.cwd(), file).replaceAll('\\', '/') || file;
}
