/** The strings of a parameter or form, structured but not yet converted to numbers or booleans. */
export type TextTree = string | readonly TextTree[] | { readonly [name: string]: TextTree };

/** Decodes percent-encoding; undefined where it is malformed. */
export function decodePercent(raw: string): string | undefined {
  if (!raw.includes('%')) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}

/** Decodes a name or value of a query or form, where `+` is a space (WHATWG URL, urlencoded parsing). */
export function decodeForm(raw: string): string | undefined {
  return decodePercent(raw.includes('+') ? raw.replaceAll('+', ' ') : raw);
}

/** One `name=value` of a query, a form body or a cookie header. */
export interface Pair {
  /** Decoded; still encoded where it cannot be decoded. */
  readonly name: string;
  /** Still encoded; undefined where there was no `=`. */
  readonly raw: string | undefined;
  /** Whether the name could not be decoded. */
  readonly broken: boolean;
}

/** Splits a raw query or form body at `&`; values stay encoded, because they can contain delimiters. */
export function readPairs(text: string): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let start = 0; start <= text.length;) {
    const next = text.indexOf('&', start);
    const end = next === -1 ? text.length : next;
    if (end > start) {
      const equals = text.indexOf('=', start);
      const split = equals === -1 || equals > end ? end : equals;
      const rawName = text.slice(start, split);
      const name = decodeForm(rawName);
      pairs.push({
        name: name ?? rawName,
        raw: split === end ? undefined : text.slice(split + 1, end),
        broken: name === undefined,
      });
    }
    start = end + 1;
  }
  return pairs;
}

/** Splits a name with brackets: `a[b][]` is `['a', 'b', '']`; the name alone without well-formed brackets. */
export function readBrackets(name: string): readonly string[] {
  const open = name.indexOf('[');
  if (open < 1 || !name.endsWith(']')) return [name];
  const path = name.slice(open + 1, -1).split('][');
  return path.some((part) => /[[\]]/.test(part)) ? [name] : [name.slice(0, open), ...path];
}

/** The maximum depth; deeper paths are cut. */
const MAX_DEPTH = 32;

/** Builds a tree of strings at paths: names create objects, `''` appends to an array, and numbers only create an array. */
export function buildTree(entries: readonly { readonly path: readonly string[]; readonly text: string }[]): TextTree {
  const root: Branch = { children: new Map(), texts: [] };
  for (const { path, text } of entries) place(root, path.slice(0, MAX_DEPTH), text);
  return toTree(root);
}

type Branch = { readonly children: Map<string, Branch>; readonly texts: string[] };

function place(root: Branch, path: readonly string[], text: string): void {
  let branch = root;
  path.forEach((name, i) => {
    // `a[]=1` appends to `a`; in `a[][b]=1` each further `b` starts another item.
    if (name === '' && i === path.length - 1) return;
    const key = name === '' ? nextItem(branch, path.slice(i + 1)) : name;
    const child = branch.children.get(key) ?? { children: new Map(), texts: [] };
    branch.children.set(key, child);
    branch = child;
  });
  branch.texts.push(text);
}

/** The item of `[]` in the middle of a path: the last one, or a new one where that already has the rest of the path. */
function nextItem(branch: Branch, rest: readonly string[]): string {
  const count = branch.children.size;
  let last = branch.children.get(String(count - 1));
  if (last === undefined) return String(count);
  for (const name of rest) {
    last = last.children.get(name);
    if (last === undefined) return String(count - 1);
  }
  return last.texts.length > 0 ? String(count) : String(count - 1);
}

function toTree(branch: Branch): TextTree {
  const { children, texts } = branch;
  if (children.size === 0) return texts.length === 1 ? (texts[0] ?? '') : [...texts];
  const members = [...children].map(([name, child]) => [name, toTree(child)] as const);
  if (!members.every(([name]) => /^\d+$/.test(name))) return Object.fromEntries(members);
  const items = members.toSorted(([x], [y]) => Number(x) - Number(y)).map(([, item]) => item);
  return [...texts, ...items];
}

/** Splits a list in a header and trims its members; a separator in a quoted string is data (RFC 9110 5.6.4). */
export function splitList(text: string, mark: ',' | ';'): readonly string[] {
  if (!text.includes('"')) return text.split(mark).map((member) => member.trim());
  const members: string[] = [];
  let start = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') quoted = !quoted;
    else if (quoted && text[i] === '\\') i += 1;
    if (text[i] !== mark || quoted) continue;
    members.push(text.slice(start, i).trim());
    start = i + 1;
  }
  return [...members, text.slice(start).trim()];
}
