// @module-tag slow
import { expect, it } from 'vitest';
import { createDocumentsPage } from './documents-page.js';
import { findDocument } from './real-document.js';

const DOCUMENTS = [
  ['OpenAI', 'openai.yaml'],
  ['Stripe', 'stripe.yaml'],
  ['Box', 'box.json'],
  ['Petstore', 'petstore-3.0.yaml'],
  ['Train Travel', 'train-travel-3.1.json'],
].flatMap(([title = '', file = '']) => {
  const spec = findDocument(file);
  return spec === undefined ? [] : [{ title, spec }];
});

// `npx vitest run test/state/documents-page.test.ts --update` writes the page anew.
it.skipIf(DOCUMENTS.length < 5)('inferred.md says what is inferred today', async () => {
  await expect(await createDocumentsPage(DOCUMENTS)).toMatchFileSnapshot('inferred.md');
});
