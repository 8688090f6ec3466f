import { load } from 'js-yaml';
import { serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { loadYaml } from '../../src/contract/load/yaml/load-yaml.js';

/** Whether V8 stores a string with one byte for each character, which its serializer writes in the same form. */
function isNarrow(text: string): boolean {
  return serialize(text).byteLength < 2 * text.length;
}

describe('YAML with characters beyond Latin-1', () => {
  it.each([
    ['values', 'a: naïve … text\nb: [東京, "\\u6771", plain]\n'],
    ['keys', '東京: 1\nplain: 2\nΑθήνα: { inner: ¡Hola! }\n'],
    ['surrogate pairs', 'emoji: 🗝️ and 🗝\nlist: ["🍫", x]\n'],
    ['block scalars', 'text: |\n  first — line\n  second\nfolded: >-\n  “quoted”\n  text\n'],
    ['comments', '# – a comment\nkey: value # …\n'],
    ['aliases', 'one: &one { name: — }\ntwo: *one\n'],
    ['merge keys', 'base: &base { a: … }\nmore: { <<: *base, b: 2 }\n'],
    ['members named __proto__', '__proto__: { a: … }\nb: 1\n'],
    ['integers as keys', '2: …\n1: a\n東: b\n'],
    ['signs of Latin-1', `text: '${Array.from({ length: 95 }, (_, i) => String.fromCharCode(0xa1 + i)).join('')}…'\n`],
    ['escaped signs of Latin-1', 'a: "\\xa4abcd \\u00a4 \\U000000A4dcba"\nb: …\n'],
    ['escapes before such characters', 'a: "\\\\… \\"…"\nb: \'\\…\'\n'],
    ['numbers that JSON does not have', 'a: .inf\nb: [-0, .nan, -.Inf, "-0"]\nc: …\n'],
    ['lone surrogates', 'a: "\ud800"\nb: …\n'],
    ['large texts', `a: ${'x'.repeat(300_000)}…\n`],
    ['line separators', 'a: "x\u2028y"\nb: 東\n'],
  ])('%s are parsed as they are by js-yaml', (_name, text) => {
    const parsed = loadYaml(text, {});
    expect(parsed).toStrictEqual(load(text));
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(load(text)));
  });

  it('nodes that aliases share stay shared', () => {
    const { one, two } = loadYaml('one: &one { name: — }\ntwo: *one\n', {}) as Record<string, unknown>;
    expect(two).toBe(one);
  });

  it.each([
    ['a mistake', '— a: b\n  c: [\n'],
    ['a duplicate key', '東: 1\n東: 2\n'],
  ])('%s is reported as js-yaml reports it', (_name, text) => {
    const read = (parse: () => unknown): unknown => {
      try {
        return parse();
      } catch (error) {
        return String(error);
      }
    };
    const message = read(() => loadYaml(text, {}));
    expect(message).toBeTypeOf('string');
    expect(message).toBe(read(() => load(text)));
  });

  it('names and values without such characters take one byte for each character', () => {
    // Names that no other code has: V8 keeps the form of a name that it knows already.
    const parsed = loadYaml('narrow_name_of_this_test: a narrow value\nwide_name_of_this_test: wide …\n', {});
    const texts = Object.entries(parsed as Record<string, string>).flat();
    expect(texts.map((text) => [text, isNarrow(text)])).toStrictEqual([
      ['narrow_name_of_this_test', true],
      ['a narrow value', true],
      ['wide_name_of_this_test', true],
      ['wide …', false],
    ]);
  });
});
