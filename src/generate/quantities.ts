import type { Random } from '../random.js';
import type { Place } from './people.js';

/** What a number may be made of. */
export interface Scale {
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The position in the nearest array. */
  readonly index: number;
  readonly isWhole: boolean;
  place(): Place;
}

/** Writes the number of a property of a certain name. */
export type Quantity = (scale: Scale) => number;

const cents = ({ random, isWhole }: Scale): number =>
  isWhole ? random.integer(5, 500) * 100 : random.integer(500, 50_000) / 100;
const share = ({ random, isWhole }: Scale): number => (isWhole ? random.integer(1, 100) : random.integer(1, 99) / 100);
const between =
  (least: number, most: number): Quantity =>
  ({ random }) =>
    random.integer(least, most);

/** One line per word; the same line may serve several spellings. */
export const QUANTITIES: ReadonlyMap<string, Quantity> = new Map<string, Quantity>([
  ...words('price amount total subtotal cost balance fee tax discount revenue salary unitamount', cents),
  ...words('percent percentage rate ratio share probability confidence', share),
  ...words('quantity qty count size items copies seats guests', between(1, 12)),
  ...words('age', between(18, 80)),
  ...words('year', ({ now }) => new Date(now).getUTCFullYear()),
  ...words('expyear', ({ now, random }) => new Date(now).getUTCFullYear() + random.integer(1, 5)),
  ...words('month expmonth', between(1, 12)),
  ...words('day dayofmonth', between(1, 28)),
  ...words('hour hours', between(0, 23)),
  ...words('minute minutes second seconds', between(0, 59)),
  ...words('expiresin ttl timeout maxage', () => 3600),
  ...words('duration elapsed durationms', between(30, 900)),
  ...words('latitude lat', ({ place }) => place().latitude),
  ...words('longitude lng lon', ({ place }) => place().longitude),
  ...words('width height', between(2, 20)),
  ...words('bytes filesize contentlength sizebytes', between(1000, 90_000)),
  ...words('port', between(1024, 9999)),
  ...words('page pagenumber currentpage', () => 1),
  ...words('limit pagesize perpage', () => 20),
  ...words('offset skip', () => 0),
  ...words('index position order rank sortorder sequence', ({ index }) => index),
  ...words('status statuscode httpstatus', () => 200),
  ...words('rating score stars', between(1, 5)),
  ...words('progress completion', between(0, 100)),
  ...words('version revision', between(1, 5)),
  ...words('weight', between(1, 50)),
  ...words('temperature topp', ({ random }) => random.integer(1, 10) / 10),
]);

function words(names: string, quantity: Quantity): readonly (readonly [string, Quantity])[] {
  return names.split(' ').map((name) => [name, quantity] as const);
}
