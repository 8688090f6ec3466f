import { describe, expect, it } from 'vitest';
import { logInteractions, type LogFlags } from '../../src/cli/serving/log.js';
import { createMock } from '../../src/index.js';
import { toDocument } from '../document-parts.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const SPEC = toDocument({ '/ping': { get: { operationId: 'ping', responses: { 204: { description: '' } } } } });

/** What is logged of one request with this header. */
async function readLog(flags: LogFlags, traceparent: string | undefined): Promise<string> {
  let options: ReturnType<typeof logInteractions> = {};
  const written = new Promise<string>((resolve) => {
    options = logInteractions({ ...flags, write: resolve }, () => ({ pointer: '' }));
  });
  const mock = await createMock({ spec: SPEC, ...options });
  try {
    await mock.fetch('/ping', { headers: traceparent === undefined ? {} : { traceparent } });
    return await written;
  } finally {
    await mock.close();
  }
}

describe('the log of a request with the header traceparent', () => {
  it.each([`00-${TRACE}-${SPAN}-01`, `cc-${TRACE}-${SPAN}-00-what-a-later-version-has`])(
    'has the ids of %s as JSON',
    async (traceparent) => {
      expect(JSON.parse(await readLog({ json: true }, traceparent))).toMatchObject({ traceId: TRACE, spanId: SPAN });
    },
  );

  it.each([
    undefined,
    '',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  ])('has none of %s', async (traceparent) => {
    const line = JSON.parse(await readLog({ json: true }, traceparent)) as object;
    expect(line).not.toHaveProperty('traceId');
    expect(line).not.toHaveProperty('spanId');
  });

  it('has them as text with --verbose only', async () => {
    const header = `00-${TRACE}-${SPAN}-01`;
    expect(await readLog({ verbose: true }, header)).toContain(`\n       trace ${TRACE} span ${SPAN}`);
    expect(await readLog({}, header)).not.toContain(TRACE);
  });
});
