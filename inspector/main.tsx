import { type JSX, render } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import {
  type ApiError,
  call,
  type Contract,
  type Reload,
  type Row,
  saveToken,
  type Session,
  takeLinkToken,
} from './api.ts';
import { Detail } from './detail.tsx';
import { addRows, addUsage, keyOf, type Usage } from './log.ts';
import { LogView } from './log-view.tsx';
import { ContractView } from './contract.tsx';
import { Choice, Problem, useLoaded } from './parts.tsx';
import { Recordings } from './recordings.tsx';
import { Resources } from './resources.tsx';
import { type Draft, Scenarios } from './scenarios.tsx';
import { Sessions } from './sessions.tsx';
import { State } from './state.tsx';
import { type Connection, followLog } from './stream.ts';
import { writeYaml } from './yaml.ts';

const TABS = ['Log', 'Scenarios', 'State', 'Resources', 'Sessions', 'Recordings', 'Contract'] as const;
type Tab = (typeof TABS)[number];

function App(): JSX.Element {
  const [attempt, setAttempt] = useState(0);
  const log = useLog(attempt);
  useEffect(() => {
    // A link that is opened in the tab of the page does not load the page again.
    const onLink = (): void => void (takeLinkToken() && setAttempt((before) => before + 1));
    addEventListener('hashchange', onLink);
    return () => removeEventListener('hashchange', onLink);
  }, []);
  if (log.connection === 'locked')
    return (
      <Login
        error={log.error}
        onToken={(token) => {
          saveToken(token);
          setAttempt(attempt + 1);
        }}
      />
    );
  return <Inspector log={log} />;
}

interface Log {
  readonly rows: readonly Row[];
  readonly usage: Usage;
  /** How many requests there were, of which the newest are in `rows`. */
  readonly total: number;
  readonly connection: Connection;
  readonly error: ApiError | undefined;
  /** The last reload of the files of the mock. */
  readonly reload: Reload | undefined;
  clear(): void;
}

/** The rows that the mock has sent; several that arrive together are shown at once. */
function useLog(attempt: number): Log {
  const [rows, setRows] = useState<readonly Row[]>([]);
  const [usage, setUsage] = useState<Usage>(new Map());
  const [total, setTotal] = useState(0);
  const [reload, setReload] = useState<Reload | undefined>();
  const [state, setState] = useState<{ readonly connection: Connection; readonly error?: ApiError | undefined }>({
    connection: 'connecting',
  });
  useEffect(() => {
    const controller = new AbortController();
    const onRows = (added: readonly Row[]): void => {
      setRows((before) => addRows(before, added));
      setTotal((before) => before + added.length);
      setUsage((before) => addUsage(before, added));
    };
    const onSkipped = (count: number): void => setTotal((before) => before + count);
    const onConnection = (connection: Connection, error?: ApiError): void => setState({ connection, error });
    onConnection('connecting');
    void followLog({ onRows, onSkipped, onReload: setReload, onConnection }, controller.signal);
    return () => controller.abort();
  }, [attempt]);
  const clear = (): void => {
    setRows([]);
    setTotal(0);
  };
  return { rows, usage, total, reload, connection: state.connection, error: state.error, clear };
}

function Login({
  error,
  onToken,
}: {
  readonly error: ApiError | undefined;
  readonly onToken: (token: string) => void;
}): JSX.Element {
  const canUnlock = error?.code === 'CONTROL_TOKEN_WRONG';
  return (
    <main class="login">
      <h1>Inspector</h1>
      <Problem error={error} />
      {canUnlock && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const token = new FormData(event.currentTarget).get('token');
            if (typeof token === 'string') onToken(token);
          }}
        >
          <label>
            Control token
            <input name="token" type="password" autocomplete="off" required autofocus />
          </label>
          <button type="submit" class="primary">
            Open
          </button>
        </form>
      )}
    </main>
  );
}

function Inspector({ log }: { readonly log: Log }): JSX.Element {
  const [tab, setTab] = useState<Tab>('Log');
  const [session, setSession] = useState('default');
  const [draft, setDraft] = useState<Draft | undefined>();
  const editScenario = (definition: object): void => {
    setDraft({ id: 'from-log', text: writeYaml(definition) });
    setTab('Scenarios');
  };
  const { value: contract, error } = useLoaded(() => call<Contract>('GET', '/contract'), [log.reload]);
  useEffect(() => {
    if (contract !== undefined) document.title = `${contract.title} – Inspector`;
  }, [contract]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea');
      if (event.key !== '/' || isTyping) return;
      event.preventDefault();
      document.querySelector<HTMLInputElement>('input[type=search]')?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const root = useMemo(() => readRoot(contract?.controlPrefix), [contract]);
  return (
    <>
      <header class="top">
        <h1>{contract?.title ?? 'Inspector'}</h1>
        <span class="note">{contract?.version}</span>
        <Tabs tab={tab} onTab={setTab} />
        <span class="spacer" />
        {tab !== 'Log' && <SessionChoice tab={tab} session={session} onSession={setSession} />}
        <ConnectionState connection={log.connection} />
      </header>
      <main>
        <div class="panel" role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`}>
          <Problem error={error} />
          <ReloadState reload={log.reload} />
          {tab === 'Log' && <LogTab log={log} root={root} onScenario={editScenario} />}
          {tab === 'Scenarios' && <Scenarios session={session} draft={draft} onDraft={setDraft} />}
          {tab === 'Sessions' && <Sessions session={session} onSession={setSession} />}
          {contract !== undefined && tab === 'State' && <State key={session} contract={contract} session={session} />}
          {contract !== undefined && tab === 'Resources' && <Resources contract={contract} />}
          {contract !== undefined && tab === 'Recordings' && <Recordings contract={contract} session={session} />}
          {contract !== undefined && tab === 'Contract' && (
            <ContractView contract={contract} session={session} usage={log.usage} root={root} />
          )}
        </div>
      </main>
    </>
  );
}

/** Why the last valid version of the files answers, what the last reload could not keep, and which clients it breaks. */
function ReloadState({ reload }: { readonly reload: Reload | undefined }): JSX.Element | null {
  if (reload === undefined || (reload.error === null && reload.notes.length + reload.breaking.length === 0))
    return null;
  const { error, notes, breaking, applied } = reload;
  return (
    <div class="problem" role="alert">
      {error !== null && (
        <p>
          <strong>{applied ? 'A scenario was not reloaded' : 'The files were not reloaded'}</strong>
          {`: ${error.code} ${error.at ?? ''} ${error.message}. The last valid version answers until this is corrected.`}
        </p>
      )}
      {error?.hint !== undefined && <p>{error.hint}</p>}
      {breaking.map((change) => (
        <p key={change}>Breaks clients: {change}</p>
      ))}
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </div>
  );
}

/** The session that the views other than the log show; the list is reloaded with each view. */
function SessionChoice(props: {
  readonly tab: Tab;
  readonly session: string;
  readonly onSession: (id: string) => void;
}): JSX.Element {
  const { tab, session, onSession } = props;
  const { value } = useLoaded(() => call<{ sessions: readonly Session[] }>('GET', '/sessions'), [tab, session]);
  const ids = value?.sessions.map(({ id }) => id) ?? [session];
  const all = ids.includes(session) ? ids : [session, ...ids];
  return <Choice label="Session" value={session} options={all.map((id) => [id, id] as const)} onChange={onSession} />;
}

/** The URL of the mock: the page is below it, at the path of the control API. */
function readRoot(prefix = '/__mock'): string {
  const { origin, pathname } = location;
  const path = pathname.replace(/\/$/, '');
  return origin + (path.endsWith(prefix) ? path.slice(0, -prefix.length) : path);
}

function Tabs({ tab, onTab }: { readonly tab: Tab; readonly onTab: (tab: Tab) => void }): JSX.Element {
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? tab;
    onTab(next);
    document.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views" onKeyDown={move}>
      {TABS.map((name) => (
        <button
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={name === tab}
          aria-controls="panel"
          tabIndex={name === tab ? 0 : -1}
          onClick={() => onTab(name)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

const CONNECTIONS: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting',
  open: 'Live',
  lost: 'Connection lost, trying again',
  locked: 'Locked',
};

function ConnectionState({ connection }: { readonly connection: Connection }): JSX.Element {
  return (
    <span class={`connection ${connection}`} role="status">
      {CONNECTIONS[connection]}
    </span>
  );
}

function LogTab(props: {
  readonly log: Log;
  readonly root: string;
  readonly onScenario: (definition: object) => void;
}): JSX.Element {
  const { log, root, onScenario } = props;
  const [selected, setSelected] = useState<Row | undefined>();
  const [paused, setPaused] = useState<readonly Row[] | undefined>();
  const rows = paused ?? log.rows;
  const newest = paused?.[0];
  const waiting = paused === undefined ? 0 : countNew(log.rows, newest);
  const close = useCallback(() => setSelected(undefined), []);
  return (
    <div class={selected === undefined ? 'split' : 'split open'}>
      <LogView
        rows={rows}
        total={log.total}
        isPaused={paused !== undefined}
        waiting={waiting}
        selected={selected && keyOf(selected)}
        onSelect={setSelected}
        onPause={() => setPaused(paused === undefined ? log.rows : undefined)}
        onClear={() => {
          log.clear();
          setSelected(undefined);
          if (paused !== undefined) setPaused([]);
        }}
      />
      {selected !== undefined && <Detail row={selected} root={root} onClose={close} onScenario={onScenario} />}
    </div>
  );
}

/** How many rows came after another one. */
function countNew(rows: readonly Row[], newest: Row | undefined): number {
  const at = newest === undefined ? -1 : rows.findIndex((row) => keyOf(row) === keyOf(newest));
  return at === -1 ? rows.length : at;
}

takeLinkToken();
const place = document.querySelector('#app');
if (place !== null) render(<App />, place);
