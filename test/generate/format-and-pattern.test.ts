import { expect, it } from 'vitest';
import { arrayOf, type Part } from '../schema-parts.js';
import { openSchema } from './one-schema.js';

const text = (format: string, pattern: string, more: Part = {}): Part => ({ type: 'string', format, pattern, ...more });

it.each<readonly [string, Part, RegExp]>([
  ['the end of an e-mail address', text('email', String.raw`@staff\.example$`), /^[\w.]+@staff\.example$/],
  ['the start of an e-mail address', text('email', '^noreply'), /^noreply[\w.]*@[\w.]+$/],
  ['a part of an e-mail address', text('email', String.raw`\+news@`), /^[\w.]+\+news@/],
  ['a choice of domains', text('email', '@(north|south)[.]example$'), /^[\w.]+@(north|south)\.example$/],
  ['the scheme of a URI', text('uri', '^ftp://'), /^ftp:\/\/\w/],
  [
    'the scheme and the end of a URI',
    { ...text('uri', '^wss://'), allOf: [{ pattern: '/live$' }] },
    /^wss:\/\/\w.*\/live$/,
  ],
  ['a URI in a word', text('url', '^https://[^/]+/docs/'), /^https:\/\/[\w.]+\/docs\/\w/],
  ['the query of a URI', text('uri', '[?]size=[0-9]{2}'), /^https:.*\?size=\d\d/],
  ['the end of a host', text('hostname', '[.]internal$'), /^[a-z][a-z.]*\.internal$/],
  ['the start of a host', text('hostname', '^db-[0-9]+[.]'), /^db-\d+\.[a-z]/],
  ['the year of a time', text('date-time', '^2019-'), /^2019-\d\d-\d\dT/],
  ['years of a time', text('date-time', '^199[0-3]-0[1-6]-'), /^199[0-3]-0[1-6]-\d\dT/],
  ['the end of a time', text('date-time', '[+]02:00$'), /T\d\d:\d\d:\d\d\+02:00$/],
  ['the first of a month', text('date', '-01$'), /-01$/],
  ['a day of leap years', text('date', '-02-29$'), /-02-29$/],
  ['not the current years', text('date', '^(?!202[4-7])'), /^(?!202[4-7])/],
  ['a date in full', text('date', String.raw`^20[34]\d-\d{2}-\d{2}$`), /^20[34]\d-/],
  ['an hour', text('time', '^07:'), /^07:\d\d:\d\d/],
  ['a network', text('ipv4', String.raw`^172\.16\.`), /^172\.16\.\d+\.\d+$/],
  ['a network of version 6', text('ipv6', '^fd00:'), /^fd00:/],
  ['a version of a UUID', text('uuid', '^.{14}7'), /^.{14}7/],
  ['the start of a UUID', text('uuid', '^00000000-'), /^00000000-/],
  ['a country of a phone', text('phone', String.raw`^\+49`), /^\+49\d{6,}$/],
  ['a length, too', text('email', '@b[.]example$', { maxLength: 12 }), /^\w@b\.example$/],
  ['a length that is required', text('uri', '[.]svg$', { minLength: 40 }), /^https:.{31,}\.svg$/],
])('a string has its format and matches its pattern: %s', async (_, schema, form) => {
  const one = await openSchema({ ...arrayOf(schema), minItems: 4 });
  for (const seed of [1, 2, 3, 4, 5]) {
    const value = one.value({ seed });
    expect(value, JSON.stringify(value)).toEqual(expect.arrayContaining([expect.stringMatching(form)]));
    expect(one.check(value)).toEqual([]);
    for (const each of value as readonly string[]) expect(each).toMatch(form);
  }
  expect(one.notes).toEqual([]);
});

it('a format that contradicts the pattern leaves a string that matches the pattern', async () => {
  const one = await openSchema(text('date', '^[a-z]{4}$'));
  expect(one.value()).toMatch(/^[a-z]{4}$/);
});
