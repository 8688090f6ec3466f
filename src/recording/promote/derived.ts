import { DERIVATIONS, fillDerived } from '../../generate/derived-values.js';
import { writeCanonical } from '../cassette/exact-json.js';
import type { Item } from './promote.js';

/** What a create sent, and the item that was shown next. */
export interface SentAndShown {
  readonly sent: Item;
  readonly shown: Item;
}

/** The templates of properties that are the same function of what was sent in all samples, and not always the same value. */
export function learnDerived(samples: readonly SentAndShown[], idProperty: string): Readonly<Record<string, string>> {
  const [first] = samples;
  if (first === undefined) return {};
  const isDerived = (name: string): boolean =>
    name !== idProperty &&
    samples.every(({ sent, shown }) => Object.hasOwn(shown, name) && !Object.hasOwn(sent, name)) &&
    new Set(samples.map(({ shown }) => writeCanonical(shown[name]))).size > 1;
  const found = Object.keys(first.shown)
    .filter(isDerived)
    .flatMap((name): readonly (readonly [string, string])[] => {
      const fits = (template: string): boolean =>
        samples.every(({ sent, shown }) => {
          const value = fillDerived(template, sent);
          return value !== undefined && writeCanonical(value) === writeCanonical(shown[name]);
        });
      const template = listTemplates(first.sent, first.shown[name]).find(fits);
      return template === undefined ? [] : [[name, template]];
    });
  return Object.fromEntries(found);
}

/** The templates that give a value for what was sent once, those with the fewest parts first. */
function listTemplates(sent: Item, value: unknown): readonly string[] {
  const placeholders = Object.keys(sent).flatMap((name) => [
    `{${name}}`,
    ...Object.keys(DERIVATIONS).map((change) => `{${name}:${change}}`),
  ]);
  if (typeof value !== 'string' || /[{}]/.test(value)) return placeholders;
  const place = (template: string): readonly string[] =>
    placeholders.flatMap((placeholder) => {
      const text = fillDerived(placeholder, sent);
      // A shorter text is in many others by chance.
      if (typeof text !== 'string' || text.length < MIN_LENGTH) return [];
      // Not inside of another placeholder.
      return template.split(/(\{[^}]*\})/).flatMap((part, i, parts) => {
        if (part.startsWith('{') || !part.includes(text)) return [];
        return [
          parts
            .with(
              i,
              part.replace(text, () => placeholder),
            )
            .join(''),
        ];
      });
    });
  const one = place(value);
  return [...placeholders, ...one, ...one.flatMap(place)];
}

const MIN_LENGTH = 3;
