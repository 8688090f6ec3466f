import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { createVirtualClock } from '../../src/base/clock.js';
import { createMock, type Mock } from '../../src/index.js';
import type { MockOptions } from '../../src/mock/options.js';
import type { RespondDefinition, ScenarioDefinition } from '../../src/features/scenario/definition/definition.js';
import { describeBoth } from '../describe-both.js';
import { object, INTEGER, TEXT, toDocument, query } from '../document-parts.js';

const TICK = object({ n: INTEGER, unit: { const: 's' } }, 'n', 'unit');

const stream = (operationId: string, type: string, schema: object): object => ({
  get: { operationId, responses: { 200: { description: 'OK', content: { [type]: schema } } } },
});

const WHOLE = object({ event: { enum: ['tick', 'end'] }, data: TEXT }, 'event', 'data');

const SPEC: MockOptions['spec'] & object = toDocument({
  '/ticks': stream('watchTicks', 'text/event-stream', { schema: TICK }),
  '/whole': stream('watchWhole', 'text/event-stream', { schema: WHOLE }),
  '/lines': stream('readLines', 'application/x-ndjson', { schema: TICK }),
  '/texts': stream('readTexts', 'application/json-seq', { schema: TICK }),
  '/plain': stream('readPlain', 'application/json', { schema: TICK }),
});

const rule = (operation: string, respond: RespondDefinition, violates?: string): ScenarioDefinition => ({
  operations: { [operation]: violates === undefined ? { respond } : { respond, violates } },
});

/** A mock where a scenario is active. */
const open = (definition: ScenarioDefinition): Partial<MockOptions> => ({
  spec: SPEC,
  fixtures: undefined,
  scenarios: { from: { scripted: definition }, active: ['scripted'] },
});

describeBoth('a scenario that scripts a stream', (start) => {
  const read = async (path: string, definition: ScenarioDefinition): Promise<readonly [string | null, string]> => {
    const { rootUrl, fetch } = await start(open(definition));
    const response = await fetch(rootUrl + path);
    return [response.headers.get('content-type'), await response.text()];
  };

  it('sends events with their fields, data that is completed, and markers', async () => {
    const events = [{ event: 'tick', id: 7, retry: 500, data: { n: 1 } }, { n: 2 }, '[DONE]'];
    expect(await read('/ticks', rule('watchTicks', { events }))).toEqual([
      'text/event-stream',
      'event: tick\nid: 7\nretry: 500\ndata: {"n":1,"unit":"s"}\n\ndata: {"n":2,"unit":"s"}\n\ndata: [DONE]\n\n',
    ]);
  });

  it('sends whole events where the schema describes them', async () => {
    const events = [
      { event: 'tick', data: 'one' },
      { data: 'two', event: 'end' },
    ];
    const [, text] = await read('/whole', rule('watchWhole', { events }));
    expect(text).toBe('event: tick\ndata: one\n\nevent: end\ndata: two\n\n');
  });

  it('sends lines, and texts after a record separator', async () => {
    const events = [{ n: 1 }, { data: { n: 2 } }];
    const [one, two] = ['{"n":1,"unit":"s"}\n', '{"n":2,"unit":"s"}\n'];
    expect(await read('/lines', rule('readLines', { events }))).toEqual(['application/x-ndjson', one + two]);
    expect(await read('/texts', rule('readTexts', { events }))).toEqual([
      'application/json-seq',
      `\u001e${one}\u001e${two}`,
    ]);
  });

  it('sends values of the request', async () => {
    const events = [{ n: '$request.query.n' }];
    const spec = structuredClone(SPEC) as { paths: { '/ticks': { get: object } } };
    Object.assign(spec.paths['/ticks'].get, { parameters: [query('n', INTEGER)] });
    const { rootUrl, fetch } = await start({ ...open(rule('watchTicks', { events })), spec });
    expect(await (await fetch(`${rootUrl}/ticks?n=5`)).text()).toBe('data: {"n":5,"unit":"s"}\n\n');
  });

  it('keeps the framing of a body that is a string', async () => {
    const body = ': hello\r\ndata: {"n":1}\r\rdata: {';
    expect(await read('/ticks', rule('watchTicks', { body }))).toEqual(['text/event-stream', body]);
  });

  it('sends what breaks the contract with a reason, also for an operation without a stream', async () => {
    const broken = rule('watchTicks', { events: [{ m: 1 }] }, 'an old server');
    expect(await read('/ticks', broken)).toEqual(['text/event-stream', 'data: {"m":1}\n\n']);
    const other = rule('readPlain', { mediaType: 'application/jsonl', events: [1, 2] }, 'a proxy');
    expect(await read('/plain', other)).toEqual(['application/jsonl', '1\n2\n']);
  });

  it('shows the items in the journal', async () => {
    const { rootUrl, fetch, mock } = await start(open(rule('readLines', { events: [{ n: 1 }] })));
    await (await fetch(`${rootUrl}/lines`)).text();
    expect(mock.journal.toNdjson()).toContain('"unit":"s"');
  });
});

/** Reads the events that have arrived, without waiting for more. */
async function readArrived(reader: ReadableStreamDefaultReader<Uint8Array>, count: number): Promise<string> {
  let text = '';
  for (let i = 0; i < count; i++) text += Buffer.from((await reader.read()).value ?? []).toString();
  return text;
}

it('delays between events wait for the clock', async () => {
  const page = readFileSync('docs/scenarios.md', 'utf8');
  const [documented] = [...page.matchAll(/^```yml\n([\s\S]*?)^```$/gm)].map((match) => load(match[1] ?? ''));
  const scenarios = { documented: documented as ScenarioDefinition };
  // It moves only when it is advanced; the default clock also moves to the end of each delay.
  const clock = createVirtualClock();
  const mock: Mock = await createMock({ spec: SPEC, clock, scenarios: { from: scenarios, active: ['documented'] } });
  // The delay of an event begins when the one before it was read.
  const begun = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const { body } = await mock.fetch('/ticks');
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  expect(await readArrived(reader, 1)).toBe('event: tick\nid: 1\ndata: {"n":1,"unit":"s"}\n\n');
  const second = readArrived(reader, 1);
  let isHere = false;
  void second.then(() => (isHere = true));
  await begun();
  mock.clock.advance(199);
  await begun();
  expect(isHere).toBe(false);
  mock.clock.advance(1);
  expect(await second).toContain('id: 2');
  const last = readArrived(reader, 1);
  await begun();
  mock.clock.advance(1000);
  expect(await last).toBe('data: [DONE]\n\n');
});

it.each([
  [
    'data that cannot fit',
    rule('watchTicks', { events: [{ n: 1 }, { data: { n: 'two' } }] }),
    'event 2 of watchTicks breaks the contract: answer property "n" must be an integer, got "two"',
  ],
  ['an unknown field', rule('readLines', { events: [{ n: 1, m: 2 }] }), 'event 1 of readLines has no field "m"'],
  ['an unknown event type', rule('watchWhole', { events: [{ event: 'tack', data: '' }] }), 'event 1 of watchWhole'],
  ['an operation without a stream', rule('readPlain', { events: [] }), '"readPlain" documents no stream'],
  ['events and a body', rule('watchTicks', { events: [], body: '' }), 'has both events and body'],
  [
    'a delay that is none',
    rule('watchTicks', { events: [{ delay: 'soon', data: {} }] }),
    '"delay" must be milliseconds',
  ],
] as const)('%s is a mistake', async (_name, definition, message) => {
  await expect(createMock({ spec: SPEC, scenarios: { wrong: definition } })).rejects.toThrow(message);
});
