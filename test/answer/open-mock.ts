import { onTestFinished } from 'vitest';
import { createMock, type Mock, type MockOptions } from '../../src/index.js';

type Json = { readonly [name: string]: unknown };

/** A mock of a document that is nothing but some paths; it remembers nothing, so that only the contract speaks. */
export async function openMock(paths: Json, more: Json = {}, options: Partial<MockOptions> = {}): Promise<Mock> {
  const document = { openapi: '3.1.0', info: { title: 'Small', version: '1' }, paths, ...more };
  const mock = await createMock({ state: false, ...options, spec: document });
  onTestFinished(() => mock.close());
  return mock;
}

/** A response that has JSON of a schema. */
export function json(schema: unknown, more: Json = {}): Json {
  return { description: '', content: { 'application/json': { schema, ...more } } };
}
