import { means } from '../../conventions/conventions.js';
import { capitalize } from '../../base/names.js';
import type { TextContext } from './formats.js';
import { pickUuid } from './identifiers.js';
import { toTable } from './names.js';
import { toPlainLetters } from './people.js';

/** Writes the string of a property with a known name. */
export type WriteWord = (context: TextContext) => string;

const ADJECTIVES: readonly string[] = (
  'amber brave calm clear crisp eager early fair fresh gentle golden green happy keen kind light lucky mellow ' +
  'noble plain quick quiet rapid silver small solid steady sunny swift warm'
).split(' ');
const NOUNS: readonly string[] = (
  'anchor beacon birch bridge canyon cedar cliff comet delta ember falcon field finch forest garden harbor ' +
  'island lantern maple meadow orchard otter pebble pine river signal sparrow stone summit willow'
).split(' ');

/** Two neutral words, such as `Amber Finch`. */
export function pickTitle({ random }: TextContext): string {
  return `${capitalize(random.pick(ADJECTIVES))} ${capitalize(random.pick(NOUNS))}`;
}

/** Two neutral words in lower case, such as `amber-finch`. */
export function pickSlug({ random }: Pick<TextContext, 'random'>): string {
  return `${random.pick(ADJECTIVES)}-${random.pick(NOUNS)}`;
}

/** A short, neutral sentence. */
export function pickSentence({ random }: TextContext): string {
  return `${capitalize(random.pick(ADJECTIVES))} ${random.pick(NOUNS)} near the ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}.`;
}

const isPersonal = ({ kind, name }: TextContext): boolean => means(kind, 'people.noun') || means(name, 'people.noun');
const code = ({ random }: TextContext): string => random.text('ABCDEFGHJKLMNPQRSTUVWXYZ23456789', 8);
const full = (context: TextContext): string => `${context.person().first} ${context.person().last}`;
const user = (context: TextContext): string => toPlainLetters(context.person().first) + context.random.integer(1, 99);
const secret = (context: TextContext): string => `sample_${context.random.text('abcdefghjkmnpqrstuvwxyz23456789', 16)}`;
const street = (context: TextContext): string =>
  `${context.random.integer(1, 240)} ${capitalize(context.random.pick(NOUNS))} Street`;
const version = ({ random }: TextContext): string =>
  `${random.integer(1, 4)}.${random.integer(0, 9)}.${random.integer(0, 9)}`;
const hex = ({ random }: TextContext, count: number): string => random.text('0123456789abcdef', count);

/** Names and texts for people, by name of the property, without separators. */
const TEXT_ROWS: readonly (readonly [names: string, word: WriteWord])[] = [
  ['firstname givenname forename first', ({ person }) => person().first],
  ['lastname familyname surname last', ({ person }) => person().last],
  ['fullname displayname realname author owner contactname customername cardholdername', full],
  ['name', (context) => (isPersonal(context) ? full(context) : pickTitle(context))],
  ['username login nickname handle screenname', user],
  ['title subject headline label caption', pickTitle],
  ['description summary note notes comment comments message text content body details bio about', pickSentence],
  ['street address addressline1 line1 streetaddress address1', street],
  ['city town locality', ({ location }) => location().city],
  ['country countryname', ({ maxLength, location }) => location()[maxLength <= 3 ? 'countryCode' : 'country']],
  ['currency currencycode', ({ location }) => location().currency],
  ['timezone tz', ({ location }) => location().timezone],
  ['company companyname employer brand', (context) => context.faker().company.name()],
  ['jobtitle occupation', ({ faker }) => faker().person.jobTitle()],
  ['productname', ({ faker }) => faker().commerce.productName()],
];

/** Addresses, in which items differ, by name of the property, without separators. */
const ADDRESS_ROWS: typeof TEXT_ROWS = [
  ['ip ipaddress remoteip clientip', (context) => `192.0.2.${context.random.integer(1, 254)}`],
  ['mac macaddress', (context) => (hex(context, 12).match(/../g) ?? []).join(':')],
  ['hostname host domain domainname', (context) => `${toPlainLetters(context.person().last)}.example.com`],
];

/** By name of the property, without separators: words in which items differ. */
export const ADDRESSES: ReadonlyMap<string, WriteWord> = toTable<WriteWord>(ADDRESS_ROWS);

/** By name of the property, without separators: words that any other of their kind can replace. */
export const TEXTS: ReadonlyMap<string, WriteWord> = toTable<WriteWord>(TEXT_ROWS);

/** By name of the property, without separators. */
export const WORDS: ReadonlyMap<string, WriteWord> = toTable<WriteWord>([
  ...TEXT_ROWS,
  ...ADDRESS_ROWS,
  ['userid', user],
  ['reason', pickSentence],
  ['slug key tag category code reference', pickSlug],
  ['sku orderno ordernumber invoicenumber number trackingnumber confirmationcode couponcode promocode', code],
  ['addressline2 line2 address2', (context) => `Floor ${context.random.integer(1, 12)}`],
  ['state province region county', ({ location }) => location().state],
  ['statecode regioncode', ({ location }) => location().stateCode],
  ['zip zipcode postalcode postcode', ({ location }) => location().zip],
  [
    'countrycode nationality',
    ({ minLength, location }) => location()[minLength === 3 ? 'countryCode3' : 'countryCode'],
  ],
  ['locale', ({ location }) => location().locale],
  ['language lang languagecode', ({ location }) => location().locale.slice(0, 2)],
  ['organization organisation vendor merchant', (context) => context.faker().company.name()],
  ['department', ({ faker }) => faker().commerce.department()],
  ['product item', ({ faker }) => faker().commerce.productName()],
  ['position', ({ faker }) => faker().person.jobTitle()],
  ['gender sex', ({ faker }) => faker().person.sex()],
  ['color colour', ({ faker }) => faker().color.human()],
  ['model', (context) => `${pickSlug(context)}-${context.random.integer(1, 9)}`],
  ['useragent', () => 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'],
  ['filename file', (context) => `${pickSlug(context)}.txt`],
  ['path filepath', (context) => `/${pickSlug(context)}/${pickSlug(context)}`],
  ['extension', () => 'txt'],
  ['mimetype contenttype mediatype', () => 'application/json'],
  ['uuid guid', (context) => pickUuid(context.random)],
  ['token accesstoken refreshtoken apikey secret clientsecret password', secret],
  ['hash sha sha256 digest checksum', (context) => hex(context, 64)],
  ['sha1 commit etag', (context) => hex(context, 40)],
  ['md5 fingerprint', (context) => hex(context, 32)],
  ['version apiversion', version],
  ['requestid traceid correlationid', (context) => `req_${hex(context, 16)}`],
  ['iban', ({ faker }) => faker().finance.iban()],
  ['bic swift', ({ faker }) => faker().finance.bic()],
  ['last4', (context) => context.random.text('0123456789', 4)],
  ['port', ({ random }) => String(random.integer(1024, 9999))],
  ['count quantity qty', ({ random }) => String(random.integer(1, 12))],
  ['year', ({ now }) => String(new Date(now).getUTCFullYear())],
  ['age', ({ random }) => String(random.integer(18, 80))],
  ['width height', ({ random }) => String(random.integer(2, 20))],
  ['percent percentage', ({ random }) => String(random.integer(1, 100))],
  ['duration', ({ random }) => String(random.integer(30, 900))],
  [
    'price amount cost balance total subtotal fee tax discount',
    (context) => (context.random.integer(100, 99_999) / 100).toFixed(2),
  ],
  ['latitude lat', ({ location }) => location().latitude],
  ['longitude lng lon', ({ location }) => location().longitude],
]);

/** The format of values by the name of their property, for schemas without `format`. */
export const FORMATS_BY_NAME: ReadonlyMap<string, string> = toTable<string>([
  ['email emailaddress mail', 'email'],
  ['url uri link href website homepage avatar avatarurl image imageurl photo photourl thumbnail icon logo', 'uri'],
  ['picture callback webhook endpoint', 'uri'],
  ['phone phonenumber telephone mobile mobilenumber fax cell', 'phone'],
  ['timestamp datetime', 'date-time'],
  ['birthday birthdate dob', 'date'],
]);

/** Picks the number of a property with a known name. */
export type PickNumber = (context: TextContext) => number;

const cents = ({ random, isWhole }: TextContext): number =>
  isWhole ? random.integer(5, 500) * 100 : random.integer(500, 50_000) / 100;
const share = ({ random, isWhole }: TextContext): number =>
  isWhole ? random.integer(1, 100) : random.integer(1, 99) / 100;
const between =
  (least: number, most: number): PickNumber =>
  ({ random }) =>
    random.integer(least, most);

/** By name of the property, without separators. */
export const NUMBERS: ReadonlyMap<string, PickNumber> = toTable<PickNumber>([
  ['price amount total subtotal cost balance fee tax discount revenue salary unitamount', cents],
  ['percent percentage rate ratio share probability confidence', share],
  ['quantity qty count size items copies seats guests', between(1, 12)],
  ['age', between(18, 80)],
  ['year', ({ now }) => new Date(now).getUTCFullYear()],
  ['expyear', ({ now, random }) => new Date(now).getUTCFullYear() + random.integer(1, 5)],
  ['month expmonth', between(1, 12)],
  ['day dayofmonth', between(1, 28)],
  ['hour hours', between(0, 23)],
  ['minute minutes second seconds', between(0, 59)],
  ['expiresin ttl timeout maxage', () => 3600],
  ['duration elapsed durationms', between(30, 900)],
  ['latitude lat', ({ location }) => Number(location().latitude)],
  ['longitude lng lon', ({ location }) => Number(location().longitude)],
  ['width height', between(2, 20)],
  ['bytes filesize contentlength sizebytes', between(1000, 90_000)],
  ['port', between(1024, 9999)],
  ['page pagenumber currentpage', () => 1],
  ['limit pagesize perpage', () => 20],
  ['offset skip', () => 0],
  ['index position order rank sortorder sequence', ({ index }) => index],
  ['status statuscode httpstatus', () => 200],
  ['rating score stars', between(1, 5)],
  ['progress completion', between(0, 100)],
  ['version revision', between(1, 5)],
  ['weight', between(1, 50)],
  ['temperature topp', ({ random }) => random.integer(1, 10) / 10],
]);
