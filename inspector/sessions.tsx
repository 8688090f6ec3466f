import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, ofSession, type Session } from './api.ts';
import { Problem, useAction, useLoaded } from './parts.tsx';

/** The open sessions with their clocks. */
export function Sessions({
  session,
  onSession,
}: {
  readonly session: string;
  readonly onSession: (id: string) => void;
}): JSX.Element {
  const list = useLoaded(() => call<{ sessions: readonly Session[] }>('GET', '/sessions'), [session]);
  const { error, run } = useAction();
  const act = (work: () => Promise<unknown>): void =>
    run(async () => {
      await work();
      list.reload();
    });
  const fork = async (id: string): Promise<void> => {
    const { id: copy } = await call<Session>('POST', `/sessions/${id}/fork`, {});
    onSession(copy);
  };
  const close = async (id: string): Promise<void> => {
    await call('DELETE', `/sessions/${id}`);
    if (id === session) onSession('default');
  };
  return (
    <div class="page">
      <Clock session={session} />
      <div class="page-head">
        <h2>Sessions</h2>
        <span class="note">{list.value?.sessions.length} open</span>
        <span class="spacer" />
        <button type="button" onClick={() => act(() => call('POST', '/sessions', {}))}>
          Open session
        </button>
        <button type="button" onClick={list.reload}>
          Reload
        </button>
      </div>
      <Problem error={error ?? list.error} />
      <div class="scroll" tabIndex={0} role="region" aria-label="Sessions">
        <table>
          <thead>
            <tr>
              {['Id', 'Requests', 'Active scenarios', 'Clock', 'Base path', 'Tokens', 'Actions'].map((name) => (
                <th scope="col">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.value?.sessions.map(({ id, interactions, scenarios, now, prefix, tokens }) => (
              <tr class={id === session ? 'chosen' : ''}>
                <th scope="row">{id}</th>
                <td>{interactions}</td>
                <td>{scenarios.join(', ') || '—'}</td>
                <td>{now}</td>
                <td>
                  <code>{prefix}</code>
                </td>
                <td>{tokens}</td>
                <td class="actions">
                  <button type="button" onClick={() => act(() => fork(id))} aria-label={`Fork ${id}`}>
                    Fork
                  </button>
                  <button
                    type="button"
                    onClick={() => act(() => call('POST', ofSession('/reset', id)))}
                    aria-label={`Reset ${id}`}
                  >
                    Reset
                  </button>
                  <button
                    type="button"
                    onClick={() => act(() => call('DELETE', ofSession('/journal', id)))}
                    aria-label={`Clear journal of ${id}`}
                  >
                    Clear journal
                  </button>
                  {id !== 'default' && (
                    <button
                      type="button"
                      class="danger"
                      onClick={() => act(() => close(id))}
                      aria-label={`Close ${id}`}
                    >
                      Close
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

const STEPS = [
  ['+1 min', 60_000],
  ['+1 h', 3_600_000],
  ['+1 day', 86_400_000],
] as const;

interface Time {
  readonly now: string;
  readonly movable: boolean;
}

function Clock({ session }: { readonly session: string }): JSX.Element {
  const { value, error, reload } = useLoaded(() => call<Time>('GET', ofSession('/clock', session)), [session]);
  const [instant, setInstant] = useState('');
  const action = useAction();
  const act = (method: string, path: string, body: unknown): void =>
    action.run(async () => {
      await call(method, ofSession(path, session), body);
      reload();
    });
  return (
    <section aria-label="Clock">
      <div class="page-head">
        <h2>Clock</h2>
        <output>{value?.now}</output>
        {value?.movable === false && <span class="note">The mock uses the system clock.</span>}
        {value?.movable === true && (
          <>
            <span class="spacer" />
            {STEPS.map(([text, ms]) => (
              <button type="button" onClick={() => act('POST', '/clock/advance', { ms })}>
                {text}
              </button>
            ))}
            <input
              aria-label="New time"
              placeholder={value.now}
              value={instant}
              onInput={({ currentTarget }) => setInstant(currentTarget.value)}
            />
            <button type="button" disabled={instant === ''} onClick={() => act('PUT', '/clock', { now: instant })}>
              Set
            </button>
          </>
        )}
      </div>
      <Problem error={action.error ?? error} />
    </section>
  );
}
