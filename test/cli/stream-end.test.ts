import { expect, it } from 'vitest';
import { runProgram } from './run-program.js';
import { toDocument } from '../document-parts.js';
import { createFolder } from '../folders.js';

// Issue 16, part 4.

const DOCUMENT = toDocument({
  '/events': {
    get: {
      operationId: 'streamEvents',
      responses: { 200: { description: 'ok', content: { 'text/event-stream': { schema: { type: 'object' } } } } },
    },
  },
});
/** The second event is sent after longer than any test may take. */
const SLOW = { operations: { streamEvents: { respond: { events: [{ n: 1 }, { data: { n: 2 }, delay: '1h' }] } } } };

it(
  'SIGTERM ends an event stream that is open, and the process, once the time of --grace is over',
  { tags: 'slow' },
  async () => {
    const folder = createFolder({ 'api.json': JSON.stringify(DOCUMENT), 'scenarios/slow.json': JSON.stringify(SLOW) });
    let received = '';
    let ended: Promise<void> | undefined;
    const words = 'serve api.json --port 0 --no-fixtures --scenarios scenarios --scenario slow --grace 200'.split(' ');
    const { code, error } = await runProgram(words, {
      cwd: folder,
      whenListening: async ({ url }) => {
        const { body } = await fetch(new URL('/events', url));
        const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
        while (!received.includes('\n\n')) received += (await reader?.read())?.value ?? '';
        ended = (async () => {
          for (;;) {
            const part = await reader?.read();
            if (part === undefined || part.done) return;
            received += part.value;
          }
        })().catch(() => undefined);
      },
    });
    expect({ code, error }).toEqual({ code: 0, error: '' });
    await ended;
    expect(received).toBe('data: {"n":1}\n\n');
  },
);
