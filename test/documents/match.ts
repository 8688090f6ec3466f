/** Values by the names that an expectation gave them (`$id`), kept from call to call. */
export type Captured = Map<string, unknown>;

const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: () => true,
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  'date-time': (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value),
  email: (value) => typeof value === 'string' && /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(value),
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  string: (value) => typeof value === 'string',
  uuid: (value) => typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
};

/**
 * Where a value differs from what is wanted, as a sentence; undefined where it does not. In what is wanted `…` stands for any
 * text, for other members (as a key) and for more items (last), `<integer>` for any value of a kind, and `$name` for a value
 * that is kept, or was kept before; `<not $name>` for any other.
 */
export function findDifference(want: unknown, value: unknown, captured: Captured, at = ''): string | undefined {
  const differs = (): string => `${at === '' ? 'the body' : at}: wanted ${show(want)}, got ${show(value)}`;
  if (typeof want === 'string') return matchesText(want, value, captured) ? undefined : differs();
  if (Array.isArray(want)) {
    const isOpen = want.at(-1) === '…';
    const items = isOpen ? want.slice(0, -1) : want;
    if (!Array.isArray(value) || (isOpen ? value.length < items.length : value.length !== items.length))
      return differs();
    return first(items.map((item, i) => () => findDifference(item, value[i], captured, `${at}/${i}`)));
  }
  if (typeof want === 'object' && want !== null) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return differs();
    const { '…': others, ...members } = want as Readonly<Record<string, unknown>>;
    const surplus = others === undefined ? Object.keys(value).filter((name) => !Object.hasOwn(members, name)) : [];
    if (surplus.length > 0)
      return `${at === '' ? 'the body' : at} has more members: ${surplus.join(', ')} in ${show(value)}`;
    return first(
      Object.entries(members).map(([name, inner]) => () => {
        const found = Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
        return findDifference(inner, found, captured, `${at}/${name}`);
      }),
    );
  }
  return Object.is(want, value) ? undefined : differs();
}

/** Whether a text is what is wanted, `…` standing for any part of it. */
export function fitsText(want: string, text: string): boolean {
  const source = want.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`));
  return new RegExp(`^${source.join('.*')}$`, 's').test(text);
}

function matchesText(want: string, value: unknown, captured: Captured): boolean {
  const [, kind] = /^<([\w-]+)>$/.exec(want) ?? [];
  if (kind !== undefined) {
    const is = KINDS[kind];
    if (is === undefined) throw new Error(`no kind is called <${kind}>`);
    return value !== undefined && is(value);
  }
  const [, other] = /^<not \$(\w+)>$/.exec(want) ?? [];
  if (other !== undefined) return show(captured.get(other)) !== show(value);
  const [, name] = /^\$(\w+)$/.exec(want) ?? [];
  if (name !== undefined) {
    if (captured.has(name)) return show(captured.get(name)) === show(value);
    captured.set(name, value);
    return value !== undefined;
  }
  return typeof value === 'string' && fitsText(want, value);
}

function first(differences: readonly (() => string | undefined)[]): string | undefined {
  for (const difference of differences) {
    const found = difference();
    if (found !== undefined) return found;
  }
  return undefined;
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 400) ?? 'nothing';
}
