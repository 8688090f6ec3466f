import { isObject } from '../contract/json.js';
import type { Operation } from '../contract/operations/operation.js';
import type { Interaction } from '../journal/interaction.js';
import { toBareName } from '../contract/names.js';
import { PAGE_STYLES } from '../state/pages/pagination.js';

/** A mistake of the client, at the interaction that shows it. */
export interface Mistake {
  readonly interaction: Interaction;
  readonly message: string;
}

interface Walk {
  /** The first call of each page, by the values of its parameters. */
  readonly pages: Map<string, Interaction>;
  last: Interaction;
}

/**
 * Pages of one list that were requested several times, and walks that end before the last page. After a request that may have changed
 * the list a page may be requested again.
 *
 * @param options - `isWhole` also reports a walk of which only the first page was requested.
 */
export function findPageMistakes(
  list: Operation,
  interactions: readonly Interaction[],
  options: { readonly isWhole: boolean },
): readonly Mistake[] {
  const names = readPageParameters(list);
  if (names.size === 0) return [];
  const found: Mistake[] = [];
  let walks = new Map<string, Walk>();
  const end = (): void => {
    for (const { pages, last } of walks.values()) {
      if ((pages.size > 1 || options.isWhole) && offersNext(last)) {
        found.push({ interaction: last, message: 'it names a next page, which was not requested' });
      }
    }
    walks = new Map();
  };
  for (const interaction of interactions) {
    const { operation, request, answer } = interaction;
    const isSuccess = answer.status >= 200 && answer.status < 300 && answer.fault === undefined;
    if (isSuccess && request.method !== 'GET' && request.method !== 'HEAD' && operation !== list.id) end();
    if (!isSuccess || operation !== list.id) continue;
    const { key, page } = readPage(interaction, names);
    const walk = walks.get(key) ?? { pages: new Map(), last: interaction };
    const before = walk.pages.get(page);
    if (before === undefined) walk.pages.set(page, interaction);
    else found.push({ interaction, message: `this page was requested before, with #${before.number}` });
    walk.last = interaction;
    walks.set(key, walk);
  }
  end();
  return found;
}

/** The names of the query parameters that select a page, without its size. */
function readPageParameters({ parameters }: Operation): ReadonlySet<string> {
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const style = PAGE_STYLES.find(({ parameters: roles, signs }) =>
    query.some((name) => signs.some((role) => roles[role]?.test(toBareName(name)) === true)),
  );
  if (style === undefined) return new Set();
  const patterns = style.signs.flatMap((role) => style.parameters[role] ?? []);
  return new Set(query.filter((name) => patterns.some((pattern) => pattern.test(toBareName(name)))));
}

/** Which walk and which page of it a call is: the parameters that select a page are apart from all others. */
function readPage(
  { request }: Interaction,
  names: ReadonlySet<string>,
): { readonly key: string; readonly page: string } {
  const query = Object.entries(request.query).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    key: JSON.stringify([request.path, query.filter(([name]) => !names.has(name)), request.method]),
    page: JSON.stringify(query.filter(([name]) => names.has(name))),
  };
}

const MORE = /^(hasmore|hasnext|hasnextpage|istruncated|more|moreavailable)$/;
const NEXT =
  /^(next|nextpage|nextcursor|nexttoken|nextpagetoken|nextpagecursor|nexturl|nexturi|nextlink|nextmarker|nextoffset|odatanextlink|nextpageurl)$/;

/** Whether an answer says that there is a next page: in `Link` (RFC 8288), or in its envelope. */
function offersNext({ answer }: Interaction): boolean {
  const { link } = answer.headers;
  const links = typeof link === 'string' ? [link] : (link ?? []);
  if (links.some((value) => /;\s*rel="?next\b/i.test(value))) return true;
  const members = listMembers(answer.body, 2);
  const more = members.find(([name, value]) => typeof value === 'boolean' && MORE.test(name));
  if (more !== undefined) return more[1] === true;
  return members.some(([name, value]) => NEXT.test(name) && isTarget(value));
}

function isTarget(value: unknown): boolean {
  if (isObject(value)) return isTarget(value['href'] ?? value['url']);
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** The members of an envelope and of the objects in it, with bare names; not those of items. */
function listMembers(body: unknown, depth: number): readonly (readonly [string, unknown])[] {
  if (!isObject(body) || depth === 0) return [];
  return Object.entries(body).flatMap(([name, value]) => [
    [toBareName(name), value] as const,
    ...listMembers(value, depth - 1),
  ]);
}
