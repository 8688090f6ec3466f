import type { Faker } from '@faker-js/faker';
import type { Ink } from './formats.js';
import { pickUuid } from './identifiers.js';
import { toPlainLetters } from './people.js';

/** What the word for a property may be made of. */
export interface Pen extends Ink {
  /** The title or name of the schema the property belongs to. */
  readonly kind: string;
  faker(): Faker;
}

/** Writes the text of a property of a certain name. */
export type Word = (pen: Pen) => string;

const ADJECTIVES =
  'amber brave calm clear crisp eager early fair fresh gentle golden green happy keen kind light lucky mellow noble plain quick quiet rapid silver small solid steady sunny swift warm'.split(
    ' ',
  );
const NOUNS =
  'anchor beacon birch bridge canyon cedar cliff comet delta ember falcon field finch forest garden harbor island lantern maple meadow orchard otter pebble pine river signal sparrow stone summit willow'.split(
    ' ',
  );

/** Two words that go with anything: `Amber Finch`. */
export function pickTitle({ random }: Ink): string {
  return `${capital(random.pick(ADJECTIVES))} ${capital(random.pick(NOUNS))}`;
}

/** The two words as one: `amber-finch`. */
export function pickSlug({ random }: Ink): string {
  return `${random.pick(ADJECTIVES)}-${random.pick(NOUNS)}`;
}

/** A short sentence about nothing in particular. */
export function pickSentence({ random }: Ink): string {
  return `${capital(random.pick(ADJECTIVES))} ${random.pick(NOUNS)} near the ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}.`;
}

const isPersonal = ({ kind }: Pen): boolean =>
  /user|person|people|customer|owner|author|member|contact|employee|patient|student|passenger|driver|guest|sender|recipient|profile|holder/i.test(
    kind,
  );

const code = ({ random }: Pen): string => random.text('ABCDEFGHJKLMNPQRSTUVWXYZ23456789', 8);
const full = (pen: Pen): string => `${pen.person().first} ${pen.person().last}`;
const user = (pen: Pen): string => toPlainLetters(pen.person().first) + pen.random.integer(1, 99);
const secret = (pen: Pen): string => `sample_${pen.random.text('abcdefghjkmnpqrstuvwxyz23456789', 16)}`;
const street = (pen: Pen): string => `${pen.random.integer(1, 240)} ${capital(pen.random.pick(NOUNS))} Street`;
const version = ({ random }: Pen): string => `${random.integer(1, 4)}.${random.integer(0, 9)}.${random.integer(0, 9)}`;
const hex = ({ random }: Pen, count: number): string => random.text('0123456789abcdef', count);

/** One line per word; the same line may serve several spellings. */
export const WORDS: ReadonlyMap<string, Word> = new Map<string, Word>([
  ...words('firstname givenname forename first', (pen) => pen.person().first),
  ...words('lastname familyname surname last', (pen) => pen.person().last),
  ...words('fullname displayname realname author owner contactname customername cardholdername', full),
  ...words('name', (pen) => (isPersonal(pen) ? full(pen) : pickTitle(pen))),
  ...words('username login userid nickname handle screenname', user),
  ...words('title subject headline label caption', pickTitle),
  ...words(
    'description summary note notes comment comments message text content body details bio about reason',
    pickSentence,
  ),
  ...words('slug key tag category code reference', pickSlug),
  ...words('sku orderno ordernumber invoicenumber number trackingnumber confirmationcode couponcode promocode', code),
  ...words('street address addressline1 line1 streetaddress address1', street),
  ...words('addressline2 line2 address2', (pen) => `Floor ${pen.random.integer(1, 12)}`),
  ...words('city town locality', (pen) => pen.place().city),
  ...words('state province region county', (pen) => pen.place().state),
  ...words('statecode regioncode', (pen) => pen.place().stateCode),
  ...words('zip zipcode postalcode postcode', (pen) => pen.place().zip),
  ...words('country countryname', (pen) => (pen.maxLength <= 3 ? pen.place().countryCode : pen.place().country)),
  ...words('countrycode nationality', (pen) =>
    pen.minLength === 3 ? pen.place().countryCode3 : pen.place().countryCode,
  ),
  ...words('currency currencycode', (pen) => pen.place().currency),
  ...words('timezone tz', (pen) => pen.place().timezone),
  ...words('locale', (pen) => pen.place().locale),
  ...words('language lang languagecode', (pen) => pen.place().locale.slice(0, 2)),
  ...words('company companyname organization organisation employer vendor brand merchant', (pen) =>
    pen.faker().company.name(),
  ),
  ...words('department', (pen) => pen.faker().commerce.department()),
  ...words('product productname item', (pen) => pen.faker().commerce.productName()),
  ...words('jobtitle position occupation', (pen) => pen.faker().person.jobTitle()),
  ...words('gender sex', (pen) => pen.faker().person.sex()),
  ...words('color colour', (pen) => pen.faker().color.human()),
  ...words('model', (pen) => `${pickSlug(pen)}-${pen.random.integer(1, 9)}`),
  ...words('useragent', () => 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'),
  ...words('ip ipaddress remoteip clientip', (pen) => `192.0.2.${pen.random.integer(1, 254)}`),
  ...words('mac macaddress', (pen) => (hex(pen, 12).match(/../g) ?? []).join(':')),
  ...words('hostname host domain domainname', (pen) => `${toPlainLetters(pen.person().last)}.example.com`),
  ...words('filename file', (pen) => `${pickSlug(pen)}.txt`),
  ...words('path filepath', (pen) => `/${pickSlug(pen)}/${pickSlug(pen)}`),
  ...words('extension', () => 'txt'),
  ...words('mimetype contenttype mediatype', () => 'application/json'),
  ...words('uuid guid', (pen) => pickUuid(pen.random)),
  ...words('token accesstoken refreshtoken apikey secret clientsecret password', secret),
  ...words('hash sha sha256 digest checksum', (pen) => hex(pen, 64)),
  ...words('sha1 commit etag', (pen) => hex(pen, 40)),
  ...words('md5 fingerprint', (pen) => hex(pen, 32)),
  ...words('version apiversion', version),
  ...words('requestid traceid correlationid', (pen) => `req_${hex(pen, 16)}`),
  ...words('iban', (pen) => pen.faker().finance.iban()),
  ...words('bic swift', (pen) => pen.faker().finance.bic()),
  ...words('last4', (pen) => pen.random.text('0123456789', 4)),
  ...words('price amount cost balance', (pen) => (pen.random.integer(100, 99_999) / 100).toFixed(2)),
  ...words('latitude lat', (pen) => String(pen.place().latitude)),
  ...words('longitude lng lon', (pen) => String(pen.place().longitude)),
]);

/** Names whose values are written in a format although the schema does not say so. */
export const FORMAT_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    email: 'email emailaddress mail',
    uri: 'url uri link href website homepage avatar avatarurl image imageurl photo photourl thumbnail icon logo picture callback webhook endpoint',
    phone: 'phone phonenumber telephone mobile mobilenumber fax cell',
    'date-time': 'timestamp datetime',
    date: 'birthday birthdate dob',
  }).flatMap(([format, names]) => names.split(' ').map((name) => [name, format] as const)),
);

function words(names: string, word: Word): readonly (readonly [string, Word])[] {
  return names.split(' ').map((name) => [name, word] as const);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
