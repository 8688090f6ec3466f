import type { Spot, Task } from './run.js';

/** What values look like: by `x-faker`, by format, by the name of the property. */
export interface Vocabulary {
  /** Texts to try for a place, the most fitting first. */
  texts(task: Task): Iterable<string>;
  number(task: Task, type: 'integer' | 'number'): number | undefined;
  /** Whether a place names one thing among many, so that no two of them may be the same. */
  isIdentifier(spot: Spot): boolean;
}

/** Creates the vocabulary of one mock. */
export function createVocabulary(): Vocabulary {
  return {
    *texts({ run, spot, shape }) {
      const random = run.random(spot.path);
      for (const format of shape.formats) {
        const word = FORMATS[format];
        if (word !== undefined) yield word(random.text('0123456789abcdef', 32), run.now);
      }
      yield `${spot.name === '' ? 'value' : spot.name} ${random.integer(1, 99)}`;
    },
    number: ({ run, spot }) =>
      /(_at|At)$|^created$|^updated$/.test(spot.name) ? Math.floor(run.now / 1000) : undefined,
    isIdentifier: (spot) => /(^|_)id$|I[dD]$/.test(spot.name),
  };
}

const FORMATS: Readonly<Record<string, ((digits: string, now: number) => string) | undefined>> = {
  'date-time': (_, now) => new Date(now).toISOString(),
  date: (_, now) => new Date(now).toISOString().slice(0, 10),
  time: (_, now) => new Date(now).toISOString().slice(11),
  uuid: (digits) =>
    `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`,
  email: (digits) => `${digits.slice(0, 6)}@example.com`,
  uri: (digits) => `https://example.com/${digits.slice(0, 6)}`,
  url: (digits) => `https://example.com/${digits.slice(0, 6)}`,
  hostname: () => 'example.com',
  ipv4: () => '192.0.2.1',
  ipv6: () => '2001:db8::1',
};
