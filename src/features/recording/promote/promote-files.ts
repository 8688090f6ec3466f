import type { Validators } from '../../../schema/validate.js';
import { writeCanonical } from '../cassette/canonical.js';
import { readText } from '../cassette/recorded-body.js';
import { readKind } from '../matching/volatile.js';
import type { CreatedItem, Item, PromoteCollection, Promoted, PromotedItem } from './promote.js';

/** A file of promoted fixtures. */
interface FixtureFile {
  /** Relative to the fixtures folder. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** An item that is not in the fixtures because it is invalid, or an exchange that is in no scenario. */
export interface SkippedItem {
  readonly collection: string;
  readonly id: string;
  readonly why: string;
}

interface FixtureParts {
  readonly validators: Validators;
  readonly collections: ReadonlyMap<string, PromoteCollection>;
  /** An item without the properties that its schema does not have: the recorded service is newer than the contract. */
  omitUnknown(collection: PromoteCollection, item: Item): Item;
  /** Completes an item according to its schema. */
  complete(schemaPointer: string, partial: unknown): unknown;
}

/** The fixture files of a promoted state: a JSON file for each collection, and files for binary content. */
export function toFixtures(
  promoted: Promoted,
  parts: FixtureParts,
): { readonly files: readonly FixtureFile[]; readonly skipped: readonly SkippedItem[] } {
  const files: FixtureFile[] = [];
  const skipped: SkippedItem[] = [];
  const left = new Set<string>();
  // Parents come before their children.
  const ordered = [...promoted.collections].toSorted(([, one], [, other]) => countParents(one) - countParents(other));
  for (const [name, items] of ordered) {
    const written: unknown[] = [];
    const collection = parts.collections.get(name);
    const schema = collection?.schema;
    const check = schema === undefined ? () => [] : parts.validators.check(schema, 'response');
    const undeclared = new Set<string>();
    const omitUnknown = (item: Item): Item => {
      if (collection === undefined) return item;
      const declared = parts.omitUnknown(collection, item);
      for (const member of Object.keys(item)) if (!Object.hasOwn(declared, member)) undeclared.add(member);
      return declared;
    };
    for (const promotedItem of items) {
      const { id, item, idOnly, parents } = promotedItem;
      // Some items are only known by their id in a path.
      const known = omitUnknown(item);
      const whole = idOnly && schema !== undefined ? (parts.complete(schema, known) as Item) : known;
      const [violation] = check(whole, 'body');
      const above = Object.entries(parents).at(-1);
      const isOrphan = above !== undefined && left.has(JSON.stringify(above));
      const why = isOrphan ? `its parent ${above[1]} is not in ${above[0]}` : violation?.message;
      const ids = Object.values(parents);
      const parent = ids.length === 0 ? {} : { $parent: ids.length === 1 ? ids[0] : parents };
      if (why !== undefined) {
        left.add(JSON.stringify([name, id]));
        skipped.push({ collection: name, id, why });
      } else written.push({ ...whole, ...parent, ...toContent(name, promotedItem, files) });
    }
    const defaults = omitUnknown(readDefaults(promoted.created.get(name) ?? [], items, collection?.idProperty ?? 'id'));
    for (const member of undeclared) {
      skipped.push({ collection: name, id: '*', why: `the contract does not declare ${JSON.stringify(member)}` });
    }
    if (written.length === 0 && items.length > 0) {
      // Without fixtures, its items exist for every id, and those below them too.
      for (const { id } of items) left.delete(JSON.stringify([name, id]));
      continue;
    }
    const fixture = { ...(Object.keys(defaults).length === 0 ? {} : { defaults }), items: written };
    files.push({ path: `${name}.json`, content: `${JSON.stringify(fixture, null, 2)}\n` });
  }
  return { files, skipped };
}

function countParents([first]: readonly PromotedItem[]): number {
  return Object.keys(first?.parents ?? {}).length;
}

const INLINE_LIMIT_BYTES = 1024;

function toContent(collection: string, { id, content }: PromotedItem, files: FixtureFile[]): object {
  if (content === undefined) return {};
  const type = content.mediaType === undefined ? {} : { $contentType: content.mediaType };
  const text = readText(content.bytes);
  if (text !== undefined) return { $content: text, ...type };
  if (content.bytes.byteLength <= INLINE_LIMIT_BYTES) {
    return { $content: { base64: Buffer.from(content.bytes).toString('base64') }, ...type };
  }
  const base = `content/${collection}/${id.replaceAll(/[^\w.-]/g, '_')}`;
  // Different ids can have the same file name, such as `a/1` and `a_1`.
  const taken = new Set(files.map((file) => file.path));
  let path = `${base}.bin`;
  for (let number = 2; taken.has(path); number++) path = `${base}-${number}.bin`;
  files.push({ path, content: content.bytes });
  return { $content: { path: `./${path}` }, ...type };
}

/**
 * The defaults of new items: members with the same value in every created item, and in every existing one if there is only one created,
 * although no request contained them, and what the service adds where a request leaves out a member that another one has.
 */
function readDefaults(created: readonly CreatedItem[], items: readonly PromotedItem[], idProperty: string): Item {
  const names = [...new Set(created.flatMap(({ shown }) => Object.keys(shown)))];
  const existing = items.filter(({ idOnly }) => !idOnly).map(({ item }) => item);
  const shared = names.flatMap((name): readonly (readonly [string, unknown])[] => {
    const lacking = created.filter(({ sent }) => !Object.hasOwn(sent, name));
    const [first, ...others] = lacking;
    if (first === undefined) return [];
    const isSent = lacking.length < created.length;
    const value = first.shown[name];
    const isOwn = name !== idProperty && !isMade(first, value);
    const isEnough = isSent || (others.length > 0 && isOwn);
    const witnesses = [...others.map(({ shown }) => shown), ...(isEnough ? [] : existing)];
    const isKnown = isSent ? isOwn : witnesses.length > 0;
    const isShared = witnesses.every((item) => writeCanonical(item[name]) === writeCanonical(value));
    return isKnown && isShared && Object.hasOwn(first.shown, name) ? [[name, value]] : [];
  });
  return Object.fromEntries(shared);
}

/** Whether a service may have made a value for one item: a time, an id, or a string with what the request sent. */
function isMade({ sent }: CreatedItem, value: unknown): boolean {
  const texts = Object.values(sent).filter((each) => typeof each === 'string' && each !== '');
  const isDerived = typeof value === 'string' && texts.some((text) => value.includes(String(text)));
  return isDerived || readKind(value) !== undefined;
}
