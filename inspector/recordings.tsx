import type { JSX } from 'preact';
import { call, type Contract, ofSession } from './api.ts';
import { Problem, Text, useAction, useLoaded } from './parts.tsx';

interface Recorded {
  readonly mode: string;
  readonly cassette: string | null;
  readonly exchanges: number;
  readonly owners: Readonly<Record<string, string>>;
  readonly misses: readonly {
    readonly operation: string;
    readonly method: string;
    readonly url: string;
    readonly message: string;
  }[];
}

const OWNERS = ['mock', 'replay', 'forward', 'forward-then-mock', 'forward-except-501'] as const;

/** Who answers each operation, and requests without a recording. */
export function Recordings({
  contract,
  session,
}: {
  readonly contract: Contract;
  readonly session: string;
}): JSX.Element {
  const { value, error, reload } = useLoaded(() => call<Recorded>('GET', ofSession('/recordings', session)), [session]);
  const action = useAction();
  const change = (operation: string, owner: string): void =>
    action.run(async () => {
      await call('PATCH', ofSession('/recordings', session), { owners: { [operation]: owner } });
      reload();
    });
  const isOff = value?.mode === 'off';
  const names = ['*', ...contract.operations.map(({ id }) => id)];
  return (
    <div class="page">
      <div class="page-head">
        <h2>Recordings</h2>
        {value !== undefined && (
          <span class="note">
            {isOff
              ? 'This mock has no recordings.'
              : `${value.mode} · cassette ${value.cassette ?? 'none'} · ${value.exchanges} exchanges`}
          </span>
        )}
        <span class="spacer" />
        <button type="button" onClick={reload}>
          Reload
        </button>
      </div>
      <Problem error={action.error ?? error} />
      {value !== undefined && !isOff && (
        <>
          <h3>Requests without a recording</h3>
          {value.misses.length === 0 && <p class="note">None in this session.</p>}
          <ul class="cards">
            {value.misses.map(({ operation, method, url, message }) => (
              <li class="card">
                <div class="card-head">
                  <h4>
                    {method} {url}
                  </h4>
                  <span class="note">{operation}</span>
                </div>
                <Text>{message}</Text>
              </li>
            ))}
          </ul>
          <h3>Owners</h3>
          <ul class="owners">
            {names.map((name) => (
              <li>
                <label>
                  <span>{name === '*' ? 'All other operations' : name}</span>
                  <select
                    value={value.owners[name] ?? ''}
                    onChange={({ currentTarget }) => change(name, currentTarget.value)}
                  >
                    {value.owners[name] === undefined && <option value="">as all others</option>}
                    {OWNERS.map((owner) => (
                      <option value={owner}>{owner}</option>
                    ))}
                  </select>
                </label>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
