import { describe, expect, it } from 'vitest';
import type { Verification } from '../../src/tools/verify/events.js';
import { json, query, shows, toDocument } from '../operation-parts.js';
import { INTEGER, object, TEXT } from '../schema-parts.js';
import { verifyAnswers } from './verify-in-test.js';

/** Verifies a service that answers each request with one JSON body. */
function verify(operation: object, body: unknown, status = 200): Promise<Verification> {
  const document = toDocument({ '/gauge': { get: { operationId: 'readGauge', ...operation } } });
  const schemas = { Gauge: object({ level: { type: 'number', example: 'low' }, unit: TEXT }, 'level') };
  return verifyAnswers(
    { ...document, components: { schemas } },
    (_, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    { allowUnsafe: false },
  );
}

const toVerdicts = ({ findings }: Verification): readonly string[] =>
  findings.map(({ code, verdict, message }) => `${code} ${verdict}: ${message}`);

const withExample = (schema: object, example: unknown): object => {
  const { description, content } = json(schema) as { readonly description: string; readonly content: object };
  return {
    responses: {
      200: {
        description,
        content: { 'application/json': { ...(content['application/json' as never] as object), example } },
      },
    },
  };
};

const LEVEL = object({ level: { type: 'number' } }, 'level');
const MODE = object({ mode: { enum: ['on', 'off'] } });

describe('the verdict of a finding', () => {
  it.each<readonly [what: string, operation: object, body: unknown]>([
    ['of the answer', withExample(LEVEL, { level: '0.4' }), { level: '0.5' }],
    ['of the schema', shows({ $ref: '#/components/schemas/Gauge' }), { level: '0.5' }],
    ['of a schema around it', shows({ ...LEVEL, examples: [{ level: '0.4' }] }), { level: '0.5' }],
    ['without a member', withExample(object({ id: INTEGER, level: INTEGER }, 'id', 'level'), { id: 1 }), { id: 2 }],
    ['with a value of no enumeration', withExample(MODE, { mode: 'idle' }), { mode: 'idle' }],
  ])('is that the document is wrong, where its example %s differs in the same way', async (_, operation, body) => {
    expect(toVerdicts(await verify(operation, body))).toEqual([
      expect.stringMatching(/^BODY_WRONG document: .*; an example of the document breaks this rule as well$/),
    ]);
  });

  it.each<readonly [what: string, operation: object, body: unknown]>([
    ['without an example', shows(LEVEL), { level: '0.5' }],
    ['where the example is valid', withExample(LEVEL, { level: 0.4 }), { level: '0.5' }],
    ['where the example has another type', withExample(LEVEL, { level: null }), { level: '0.5' }],
    [
      'where the example lacks another member',
      withExample(object({ id: INTEGER, level: INTEGER }, 'id', 'level'), { id: 1 }),
      { level: 2 },
    ],
    ['where the example has another value', withExample(MODE, { mode: 'idle' }), { mode: 'busy' }],
    [
      'where a property is named as examples are',
      shows(object({ example: { enum: [{ level: 'x' }] }, type: TEXT, items: TEXT, required: TEXT, level: INTEGER })),
      { level: 'x' },
    ],
  ])('is that the service is wrong %s', async (_, operation, body) => {
    expect(toVerdicts(await verify(operation, body))).toEqual([expect.stringMatching(/^BODY_WRONG service: [^;]*$/)]);
  });

  it('is that the document is wrong, where it accepts what the example of a parameter is', async () => {
    const parameters = [query('since', { type: 'string', format: 'date', example: 'yesterday' })];
    expect(toVerdicts(await verify({ parameters, ...shows(LEVEL) }, { level: 1 }))).toEqual([]);
    const deep = [query('depth', { type: 'integer', example: 'all' })];
    expect(toVerdicts(await verify({ parameters: deep, ...shows(LEVEL) }, { level: 1 }))).toEqual([
      expect.stringMatching(/^INVALID_ACCEPTED document: /),
    ]);
  });

  it.each<readonly [what: string, responses: object, verdict: string]>([
    [
      'document',
      { 404: { description: 'None.' } },
      'document: status 202 is not declared by readGauge, which declares 404 \\(202\\); it declares no status of success$',
    ],
    ['service', { 201: { description: 'Made.' } }, 'service: status 202 is not declared [^;]*$'],
  ])('of an undeclared success is %s', async (_, responses, verdict) => {
    expect(toVerdicts(await verify({ responses }, {}, 202))).toEqual([
      expect.stringMatching(new RegExp(`^STATUS_UNDECLARED ${verdict}`)),
    ]);
  });
});
