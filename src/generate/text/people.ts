import type { Random } from '../../base/random.js';

/** A person whose names belong together. */
export interface Person {
  readonly first: string;
  readonly last: string;
}

/** A place whose address, coordinates, currency and language belong together. */
export type Location = Readonly<
  Record<'city' | 'state' | 'stateCode' | 'zip' | 'country' | 'countryCode' | 'countryCode3', string> &
    Record<'latitude' | 'longitude' | 'timezone' | 'currency' | 'phone' | 'locale', string>
>;

/** A random person. */
export function pickPerson(random: Random): Person {
  return { first: random.pick(FIRST_NAMES), last: random.pick(LAST_NAMES) };
}

/** A random location. */
export function pickLocation(random: Random): Location {
  const row = random.pick(LOCATIONS).split('|');
  const [city = '', state = '', stateCode = '', zip = '', country = '', countryCode = '', countryCode3 = ''] = row;
  const [latitude = '', longitude = '', timezone = '', currency = '', phone = '', locale = ''] = row.slice(7);
  const region = { city, state, stateCode, zip, country, countryCode, countryCode3 };
  return { ...region, latitude, longitude, timezone, currency, phone, locale };
}

/** A name as used in addresses: `ekstrom` for `Ekström`. */
export function toPlainLetters(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

const FIRST_NAMES: readonly string[] = (
  'Ada Alan Amina Anders Bea Carla Chen Clara Dario Dina Elena Emil Farid Grace Hana Ines Ivan Jonas Kofi Lea ' +
  'Lucia Maya Mira Nora Omar Paula Priya Quentin Rosa Sami Tara Uma Victor Wanda Yuki Zoe'
).split(' ');

const LAST_NAMES: readonly string[] = (
  'Abel Baker Bianchi Brandt Castillo Diaz Ekström Fischer Garcia Hansen Ito Jansen Khan Lindgren Mensah Moreau ' +
  'Novak Okafor Olsen Patel Quinn Rossi Sato Silva Tanaka Turing Ueda Vargas Weber Yilmaz Young Zimmer'
).split(' ');

/** City, state, its code, postal code, country, its two codes, latitude, longitude, time zone, currency, phone, locale. */
const LOCATIONS: readonly string[] = [
  'Berlin|Berlin|BE|10115|Germany|DE|DEU|52.52|13.405|Europe/Berlin|EUR|+4930|de-DE',
  'Boston|Massachusetts|MA|02108|United States|US|USA|42.3601|-71.0589|America/New_York|USD|+1617|en-US',
  'Chicago|Illinois|IL|60601|United States|US|USA|41.8781|-87.6298|America/Chicago|USD|+1312|en-US',
  'Dublin|Leinster|L|D02 X285|Ireland|IE|IRL|53.3498|-6.2603|Europe/Dublin|EUR|+3531|en-IE',
  'Kyoto|Kyoto|26|600-8001|Japan|JP|JPN|35.0116|135.7681|Asia/Tokyo|JPY|+8175|ja-JP',
  'Lisbon|Lisbon|11|1100-148|Portugal|PT|PRT|38.7223|-9.1393|Europe/Lisbon|EUR|+35121|pt-PT',
  'London|England|ENG|EC1A 1BB|United Kingdom|GB|GBR|51.5072|-0.1276|Europe/London|GBP|+4420|en-GB',
  'Seattle|Washington|WA|98101|United States|US|USA|47.6062|-122.3321|America/Los_Angeles|USD|+1206|en-US',
  'Toronto|Ontario|ON|M5H 2N2|Canada|CA|CAN|43.6532|-79.3832|America/Toronto|CAD|+1416|en-CA',
  'Zürich|Zürich|ZH|8001|Switzerland|CH|CHE|47.3769|8.5417|Europe/Zurich|CHF|+4144|de-CH',
];
