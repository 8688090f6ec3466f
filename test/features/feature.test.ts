import { afterEach, expect, it } from 'vitest';
import { toEmptyAnswer } from '../../src/answer/chain.js';
import { defineProgram } from '../../src/cli/program/program.js';
import type { FeatureKind } from '../../src/mock/feature.js';
import { openMock } from '../../src/mock/mock.js';
import { answerJson } from '../../src/server/control/answer.js';
import type { Mock } from '../../src/index.js';
import type { Clock } from '../../src/base/clock.js';
import type { Session } from '../../src/session/session.js';

// A feature as somebody would write it who knows only `Feature`: a quota of requests for each session.

interface Quota {
  used: number;
}

const quotaOf = ({ slots }: Pick<Session, 'slots'>): Quota => slots['quota'] as Quota;

const printed: string[] = [];
const told: string[] = [];

const QUOTA: FeatureKind = {
  name: 'quota',
  options: {
    quota: { kinds: ['integer'], minimum: 0, default: 2, description: 'How many requests a session may send.' },
  },
  commands: {
    quota: [
      'print the default quota',
      () =>
        Promise.resolve({
          defineCommand: (command, output) => void command.action(() => output.write(String(printed.push('2')))),
        }),
    ],
  },
  open: ({ options, current }) => ({
    name: 'quota',
    slot: {
      name: 'quota',
      create: (): Quota => ({ used: 0 }),
      reset: (session) => {
        quotaOf(session).used = 0;
      },
      snapshot: (state) => (state as Quota).used,
      restore: (state, used) => {
        (state as Quota).used = used as number;
      },
      share: (state) => state,
    },
    sources: ({ contract }) => ({
      quota: {
        name: 'quota',
        answer: (exchange, next) => {
          const quota = quotaOf(exchange.session);
          quota.used += 1;
          if (quota.used <= Number(options['quota'])) return next(exchange);
          exchange.note(`quota: ${contract.operations.length} operations share it`);
          return { ...toEmptyAnswer(429, 'quota'), violates: 'the quota is used up' };
        },
      },
    }),
    onInteraction: ({ answer, operation }) => void told.push(`${operation ?? '-'} ${answer.status}`),
    control: {
      added: {
        routes: [['GET', '/quota', 'getQuota']],
        paths: { '/quota': { get: { operationId: 'getQuota', responses: { 200: { description: 'The quota.' } } } } },
      },
      load: () =>
        Promise.resolve({
          getQuota: ({ session }) => {
            const { contract } = current();
            return answerJson(200, { used: quotaOf(session()).used, title: contract.title });
          },
        }),
    },
    close: () => void told.push('closed'),
  }),
};

const opened: Mock<Clock>[] = [];
afterEach(async () => {
  for (const mock of opened.splice(0)) await mock.close();
  told.length = 0;
});

async function open(options: object): Promise<Mock<Clock>> {
  const spec = {
    openapi: '3.1.0',
    info: { title: 'Books', version: '1' },
    paths: { '/books': { get: { operationId: 'listBooks', responses: { 200: { description: 'Books.' } } } } },
  };
  const mock = await openMock({ spec, control: { token: false }, ...options }, { features: [QUOTA] });
  opened.push(mock);
  return mock;
}

it('a feature from outside adds a source, a slot of sessions, an option and an operation of the control API', async () => {
  const mock = await open({ quota: 1 });
  const send = async (session: string): Promise<number> =>
    (await mock.fetch('http://localhost/books', { headers: { 'x-mock-session': session } })).status;
  expect([await send('a'), await send('a'), await send('b')]).toEqual([200, 429, 200]);
  const quota = await mock.fetch('http://localhost/~a/__mock/quota');
  expect([quota.status, await quota.json()]).toEqual([200, { used: 2, title: 'Books' }]);
  expect(told).toEqual(['listBooks 200', 'listBooks 429', 'listBooks 200']);
  const [, last] = mock.session('a').journal.interactions;
  expect(last?.trace).toContain('quota: 1 operations share it');
  mock.session('a').reset();
  expect(await send('a')).toBe(200);
});

it('its state is part of snapshots, and it is closed with the mock', async () => {
  const mock = await open({});
  const session = mock.session('a');
  const send = async (): Promise<number> => (await session.fetch('http://localhost/books')).status;
  const before = session.snapshot();
  expect([await send(), await send(), await send()]).toEqual([200, 200, 429]);
  session.restore(before);
  expect(await send()).toBe(200);
  await mock.close();
  expect(told.at(-1)).toBe('closed');
});

it('its options are checked like others', async () => {
  await expect(open({ quota: -1 })).rejects.toThrow('the option "quota" must be a non-negative integer, got -1');
  await expect(open({ quotas: 1 })).rejects.toThrow('there is no option "quotas"');
});

it('its command is one of the command line', async () => {
  const program = await defineProgram(['quota'], QUOTA.commands);
  await program.parseAsync(['quota'], { from: 'user' });
  expect(printed).toEqual(['2']);
});
