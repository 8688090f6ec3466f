import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call, type Contract, ofSession, type Session } from './api.ts';
import { Editor, readJson, writeJson } from './editor.tsx';
import { countOf, download, Problem, useAction, useLoaded } from './parts.tsx';

type Item = Readonly<Record<string, unknown>>;

/** Items that are shown of a collection; a search finds the others. */
const MAX_ITEMS = 200;

/** The collections of a session, which can be searched and edited. */
export function State({ contract, session }: { readonly contract: Contract; readonly session: string }): JSX.Element {
  const [chosen, setChosen] = useState(contract.collections[0]);
  const { value: counts, reload } = useLoaded(() => readCounts(session), [session]);
  return (
    <div class="page">
      <div class="page-head">
        <h2>State</h2>
        <span class="spacer" />
        <SessionActions session={session} onChange={reload} />
      </div>
      {contract.collections.length === 0 && <p class="empty">No collection was inferred from the document.</p>}
      <div class="columns">
        <Collections names={contract.collections} counts={counts} chosen={chosen} onChoose={setChosen} />
        {chosen !== undefined && (
          <Collection
            key={`${session}/${chosen}/${counts?.get('')}`}
            name={chosen}
            session={session}
            onChange={reload}
          />
        )}
      </div>
    </div>
  );
}

/** The list of collections, which can be searched if it is long. */
function Collections(props: {
  readonly names: readonly string[];
  readonly counts: ReadonlyMap<string, number> | undefined;
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
}): JSX.Element {
  const { names, counts, chosen, onChoose } = props;
  const [search, setSearch] = useState('');
  const [onlyFilled, setOnlyFilled] = useState(false);
  const words = search.toLowerCase().split(/\s+/);
  const shown = names.filter((name) => {
    const isFilled = (counts?.get(name) ?? 0) > 0;
    return (isFilled || !onlyFilled) && words.every((word) => name.toLowerCase().includes(word));
  });
  return (
    <nav class="side" aria-label="Collections">
      {names.length > MANY_COLLECTIONS && (
        <div class="side-filter">
          <input
            type="search"
            aria-label="Search collections"
            placeholder="Search collections"
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
          <label class="note">
            <input
              type="checkbox"
              checked={onlyFilled}
              onChange={({ currentTarget }) => setOnlyFilled(currentTarget.checked)}
            />{' '}
            with items
          </label>
          <span class="note" aria-live="polite">
            {countOf(shown.length, names.length, 'collections')}
          </span>
        </div>
      )}
      <div class="side-list">
        {shown.map((name) => (
          <button key={name} type="button" class="plain" aria-current={name === chosen} onClick={() => onChoose(name)}>
            <span>{name}</span> <span class="note">{counts?.get(name) ?? ''}</span>
          </button>
        ))}
      </div>
    </nav>
  );
}

/** From this number on the list of collections can be searched. */
const MANY_COLLECTIONS = 8;

/** How many items each collection has; a change of any is a change of the entry without a name. */
async function readCounts(session: string): Promise<ReadonlyMap<string, number>> {
  const { collections } = await call<{ collections: Record<string, readonly Item[]> }>(
    'GET',
    ofSession('/state', session),
  );
  const counts = Object.entries(collections).map(([name, items]) => [name, items.length] as const);
  return new Map([...counts, ['', Date.now()]]);
}

function SessionActions({
  session,
  onChange,
}: {
  readonly session: string;
  readonly onChange: () => void;
}): JSX.Element {
  const { value, reload } = useLoaded(() => call<Session>('GET', `/sessions/${session}`), [session]);
  const { error, run } = useAction();
  const act = (path: string, body: unknown): void =>
    run(async () => {
      await call('POST', path, body);
      reload();
      onChange();
    });
  const exportAll = async (): Promise<void> => {
    const { collections } = await call<{ collections: unknown }>('GET', ofSession('/state', session));
    download(`state-${session}.json`, collections);
  };
  return (
    <>
      <Problem error={error} />
      <button type="button" onClick={() => act(`/sessions/${session}/snapshots`, {})}>
        Take snapshot
      </button>
      {(value?.snapshots.length ?? 0) > 0 && (
        <select
          aria-label="Restore a snapshot"
          value=""
          onChange={({ currentTarget }) => act(`/sessions/${session}/restore`, { snapshot: currentTarget.value })}
        >
          <option value="">Restore…</option>
          {value?.snapshots.map((name) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      )}
      <button type="button" onClick={() => act(ofSession('/reset', session), { what: 'state' })}>
        Reset state
      </button>
      <button type="button" onClick={() => run(exportAll)}>
        Export all
      </button>
    </>
  );
}

interface CollectionProps {
  readonly name: string;
  readonly session: string;
  readonly onChange: () => void;
}

function Collection({ name, session, onChange }: CollectionProps): JSX.Element {
  const path = ofSession(`/state/${encodeURIComponent(name)}`, session);
  const { value, error, reload } = useLoaded(() => call<{ items: readonly Item[] }>('GET', path), [path]);
  const [search, setSearch] = useState('');
  const [open, setOpen] = useState<number | undefined>();
  const action = useAction();
  const items = value?.items ?? [];
  const shown = items
    .map((item, index) => ({ item, index, text: JSON.stringify(item) }))
    .filter(({ text }) => text.toLowerCase().includes(search.toLowerCase()));
  const add = async (): Promise<void> => {
    await call('POST', path, {});
    reload();
    onChange();
  };
  return (
    <section class="main" aria-label={name}>
      <div class="toolbar">
        <input
          type="search"
          aria-label="Search items"
          placeholder="Search items  /"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <span class="note">{countOf(shown.length, items.length, 'items')}</span>
        <span class="spacer" />
        <button type="button" onClick={() => action.run(add)}>
          Add generated item
        </button>
        <button type="button" onClick={() => download(`${name}.json`, items)}>
          Export as fixture
        </button>
      </div>
      <Problem error={action.error ?? error} />
      <ul class="items">
        {shown.slice(0, MAX_ITEMS).map(({ item, index, text }) => (
          <li key={index}>
            <button
              type="button"
              class="plain item"
              aria-expanded={open === index}
              onClick={() => setOpen(open === index ? undefined : index)}
            >
              {text}
            </button>
            {open === index && (
              <ItemEditor
                item={item}
                path={path}
                onDone={() => {
                  setOpen(undefined);
                  reload();
                  onChange();
                }}
              />
            )}
          </li>
        ))}
      </ul>
      {shown.length > MAX_ITEMS && <p class="note">The first {MAX_ITEMS} are shown; search for the others.</p>}
      {value !== undefined && shown.length === 0 && (
        <p class="empty">{items.length === 0 ? 'The collection is empty.' : 'No item matches.'}</p>
      )}
    </section>
  );
}

function ItemEditor({
  item,
  path,
  onDone,
}: {
  readonly item: Item;
  readonly path: string;
  readonly onDone: () => void;
}): JSX.Element {
  const [text, setText] = useState(writeJson(item));
  const { error, run, clear } = useAction();
  useEffect(clear, [text]);
  /** Replaces the item, or removes it, in the collection as it is now. */
  const change = async (to: readonly unknown[]): Promise<void> => {
    const { items } = await call<{ items: readonly Item[] }>('GET', path);
    const at = items.findIndex((each) => JSON.stringify(each) === JSON.stringify(item));
    if (at === -1) throw new Error('the item was changed or removed in the meantime; close and open it again');
    await call('PUT', path, items.toSpliced(at, 1, ...(to as readonly Item[])));
    onDone();
  };
  return (
    <div class="item-editor">
      <Editor label="Item as JSON" value={text} rows={Math.min(24, text.split('\n').length + 1)} onChange={setText} />
      <Problem error={error} />
      <div class="actions">
        <button type="button" class="primary" onClick={() => run(async () => change([readJson(text)]))}>
          Save item
        </button>
        <button type="button" class="danger" onClick={() => run(() => change([]))}>
          Remove
        </button>
      </div>
    </div>
  );
}
