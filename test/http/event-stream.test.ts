import { expect, it } from 'vitest';
import { type EventFields, readEvents, writeEvent } from '../../src/http/event-stream.js';

it.each<readonly [string, readonly string[], readonly object[]]>([
  ['one event', ['data: a\n\n'], [{ atMs: 0, data: 'a' }]],
  [
    'all fields',
    ['event: e\nid: 7\nretry: 9\ndata: a\ndata: b\n\n'],
    [{ atMs: 0, event: 'e', id: '7', retry: 9, data: 'a\nb' }],
  ],
  ['a comment', [': ping\n\n'], [{ atMs: 0, comment: 'ping' }]],
  ['an unknown field, which is ignored', ['comment: x\ndata: a\n\n'], [{ atMs: 0, data: 'a' }]],
  ['a retry that is not a number, which is ignored', ['retry: soon\ndata: a\n\n'], [{ atMs: 0, data: 'a' }]],
  ['data without a space after the colon', ['data:a\n\n'], [{ atMs: 0, data: 'a' }]],
  [
    'chunks that break anywhere',
    ['da', 'ta: a\r', '\n\r\nda', 'ta: b\n\n'],
    [
      { atMs: 2, data: 'a' },
      { atMs: 3, data: 'b' },
    ],
  ],
  [
    'lines that end in CR',
    ['data: a\r\rdata: b\r\r'],
    [
      { atMs: 0, data: 'a' },
      { atMs: 0, data: 'b' },
    ],
  ],
  ['an end without its empty line', ['data: a'], [{ atMs: 0, data: 'a' }]],
  ['an empty stream', [], []],
])('an event stream is read as %s, and written again with the same events', (_name, chunks, want) => {
  const events = readEvents(chunks.map((text, atMs) => ({ atMs, text })));
  expect(events).toEqual(want);
  const again = readEvents([{ atMs: 0, text: events.map(writeEvent).join('') }]);
  expect(again).toEqual(events.map((event) => Object.assign({}, event, { atMs: 0 })));
});

it.each<readonly [string, EventFields, string]>([
  ['data alone', { data: 'a' }, 'data: a\n\n'],
  [
    'all fields in one order',
    { data: 'a', retry: 9, id: '7', event: 'e', comment: 'c' },
    ': c\nevent: e\nid: 7\nretry: 9\ndata: a\n\n',
  ],
  ['one line for each line of the data', { data: 'a\r\nb\rc\nd' }, 'data: a\ndata: b\ndata: c\ndata: d\n\n'],
  ['empty data', { data: '' }, 'data: \n\n'],
  ['null as absent', { event: null, data: '1' }, 'data: 1\n\n'],
])('an event is written with %s', (_name, fields, want) => {
  expect(writeEvent(fields)).toBe(want);
});
