import { createMock, type Mock } from 'vouch';
import { readMedian } from './start-up.js';
import type { Table } from './table.js';

/** The cost of one operation of the store. */
interface StoreFigure {
  readonly name: string;
  /** Milliseconds; the median of many runs. */
  readonly ms: number;
}

const PAGE = 20;

/** Measures sessions, snapshots and pages in-process through the package, as tests use them. */
export async function measureStore(): Promise<Table> {
  const small = await createNotes(100);
  const middle = await createNotes(1000);
  const large = await createNotes(100_000);
  try {
    const figures = [
      ...measureSessions(middle),
      { name: 'a page from the middle of 100 items', ms: await measurePage(small, 100) },
      { name: 'a page from the middle of 100,000 items', ms: await measurePage(large, 100_000) },
    ];
    return { title: 'store', head: ['operation', 'ms'], rows: figures.map(({ name, ms }) => [name, ms.toFixed(3)]) };
  } finally {
    await Promise.all([small, middle, large].map((mock) => mock.close()));
  }
}

function measureSessions(mock: Mock): readonly StoreFigure[] {
  let opened = 0;
  const session = mock.session('bench');
  const notes = session.state.collection('notes');
  let added = 0;
  const add = (): void => void notes.add({ id: `added-${added++}` });
  return [
    { name: 'opening a session over 1,000 items', ms: measure(() => void mock.session(`own-${opened++}`)) },
    { name: 'a snapshot of 1,000 items, and back to it', ms: measure(() => session.restore(session.snapshot())) },
    {
      name: 'the same with a write in between',
      ms: measure(() => {
        const before = session.snapshot();
        add();
        session.restore(before);
      }),
    },
  ];
}

async function measurePage(mock: Mock, count: number): Promise<number> {
  const url = `/notes?limit=${PAGE}&after=${toId(count / 2)}`;
  const runs: number[] = [];
  for (let i = 0; i < 600; i++) {
    const startedAt = performance.now();
    const answer = await mock.fetch(url);
    runs.push(performance.now() - startedAt);
    const { data } = (await answer.json()) as { readonly data: readonly unknown[] };
    if (data.length !== PAGE) throw new Error(`want ${PAGE} items, got ${data.length}`);
  }
  return readMedian(runs.slice(200));
}

function measure(once: () => void): number {
  const runs: number[] = [];
  for (let i = 0; i < 200; i++) {
    const startedAt = performance.now();
    once();
    runs.push(performance.now() - startedAt);
  }
  return readMedian(runs.slice(50));
}

function createNotes(count: number): Promise<Mock> {
  const items = Array.from({ length: count }, (_, i) => ({ id: toId(i), name: `Note ${i}` }));
  return createMock({ spec: SPEC, fixtures: { notes: { items } } });
}

function toId(number: number): string {
  return `note-${String(number).padStart(6, '0')}`;
}

const NOTE = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' }, name: { type: 'string' } },
};

const LIST = {
  type: 'object',
  required: ['data', 'has_more'],
  properties: { data: { type: 'array', items: NOTE }, has_more: { type: 'boolean' } },
};

const SPEC = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  paths: {
    '/notes': {
      get: {
        operationId: 'listNotes',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
          { name: 'after', in: 'query', schema: { type: 'string' } },
        ],
        responses: { 200: { description: 'A page', content: { 'application/json': { schema: LIST } } } },
      },
      post: {
        operationId: 'createNote',
        requestBody: { content: { 'application/json': { schema: NOTE } } },
        responses: { 201: { description: 'Made', content: { 'application/json': { schema: NOTE } } } },
      },
    },
  },
};
