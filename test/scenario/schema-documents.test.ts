// @module-tag thorough
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { scenarioSchema } from '../../src/scenario/definition/schema.js';
import { loadDocument } from '../state/real-document.js';

describe('the generated schema', () => {
  it.for(['petstore-2.0.yaml', 'petstore-3.0.yaml', 'train-travel-3.1.json', 'box.json', 'openai.yaml', 'stripe.yaml'])(
    'is valid for the real document %s',
    async (name, { skip }) => {
      const file = join('../shared/specs', name);
      if (!existsSync(file)) skip(`${file} is not here`);
      const contract = await loadDocument(file);
      const made = scenarioSchema(contract, []);
      const ajv = new Ajv2020({ strict: false, logger: false });
      expect([ajv.validateSchema(made), ajv.errors]).toEqual([true, null]);
    },
  );
});
