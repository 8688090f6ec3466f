// @module-tag thorough
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { scenarioSchema } from '../../src/features/scenario/definition/schema.js';
import { loadDocument } from '../state/real-document.js';

it.for(['petstore-2.0.yaml', 'petstore-3.0.yaml', 'train-travel-3.1.json', 'box.json', 'openai.yaml', 'stripe.yaml'])(
  'the generated schema is valid for the real document %s',
  async (name, { skip }) => {
    const file = join('../shared/specs', name);
    if (!existsSync(file)) skip(`${file} is not here`);
    const contract = await loadDocument(file);
    const made = scenarioSchema(contract, []);
    const ajv = new Ajv2020({ strict: false, logger: false });
    expect([ajv.validateSchema(made), ajv.errors]).toEqual([true, null]);
  },
);
