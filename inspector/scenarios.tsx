import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call, ofSession, sendYaml } from './api.ts';
import { Editor } from './editor.tsx';
import { writeYaml } from './yaml.ts';
import { downloadText, Problem, useAction, useLoaded } from './parts.tsx';

interface Scenario {
  readonly id: string;
  readonly description?: string;
  readonly file?: string;
  readonly extends: readonly string[];
  readonly active: 'session' | 'server' | false;
  readonly rules: readonly {
    readonly key: string;
    readonly operation: string;
    readonly met: number;
    readonly hits: number;
  }[];
}

/** A scenario that is edited. */
export interface Draft {
  readonly id: string;
  /** YAML. */
  readonly text: string;
  /** The scenario with a file whose text this is. */
  readonly of?: { readonly id: string; readonly file: string; readonly hash?: string | undefined };
}

const NEW: Draft = { id: 'my-scenario', text: 'description: \noperations:\n  ' };

/** A scenario as the control API shows it for an editor. */
interface Written {
  readonly definition: unknown;
  readonly file?: string;
  readonly text?: string;
  readonly hash?: string;
}

async function readDraft(id: string): Promise<Draft> {
  const { definition, file, text, hash } = await call<Written>('GET', `/scenarios/${encodeURIComponent(id)}`);
  return { id, text: text ?? writeYaml(definition), ...(file !== undefined && { of: { id, file, hash } }) };
}

/** All scenarios, which can be switched on and off, and an editor for one. */
export function Scenarios(props: {
  readonly session: string;
  readonly draft: Draft | undefined;
  readonly onDraft: (draft: Draft | undefined) => void;
}): JSX.Element {
  const { session, draft, onDraft } = props;
  const list = useLoaded(
    () => call<{ scenarios: readonly Scenario[] }>('GET', ofSession('/scenarios', session)),
    [session],
  );
  const { error, run } = useAction();
  const change = (path: string, method = 'POST'): void =>
    run(async () => {
      await call(method, ofSession(path, session));
      list.reload();
    });
  const edit = (id: string): void =>
    run(async () => {
      onDraft(await readDraft(id));
    });
  const scenarios = list.value?.scenarios ?? [];
  return (
    <div class="page">
      <div class="page-head">
        <h2>Scenarios</h2>
        <span class="note">
          {scenarios.filter(({ active }) => active !== false).length} active of {scenarios.length}
        </span>
        <span class="spacer" />
        <button type="button" onClick={list.reload}>
          Reload
        </button>
        <button type="button" onClick={() => onDraft(NEW)}>
          New scenario
        </button>
      </div>
      <Problem error={error ?? list.error} />
      {draft !== undefined && (
        <ScenarioEditor
          draft={draft}
          session={session}
          onChange={onDraft}
          onSaved={list.reload}
          onClose={() => onDraft(undefined)}
        />
      )}
      {list.value !== undefined && scenarios.length === 0 && <p class="empty">There are no scenarios.</p>}
      <ul class="cards">
        {scenarios.map((scenario) => (
          <Card key={scenario.id} scenario={scenario} onChange={change} onEdit={() => edit(scenario.id)} />
        ))}
      </ul>
    </div>
  );
}

function Card(props: {
  readonly scenario: Scenario;
  readonly onChange: (path: string, method?: string) => void;
  readonly onEdit: () => void;
}): JSX.Element {
  const { scenario, onChange, onEdit } = props;
  const { id, description, file, active, rules } = scenario;
  const path = `/scenarios/${encodeURIComponent(id)}`;
  const toggle = (scope: 'session' | 'server'): void =>
    onChange(`${path}/${active === scope ? 'deactivate' : 'activate'}?scope=${scope}`);
  return (
    <li class={active === false ? 'card' : 'card active'}>
      <div class="card-head">
        <h3>{id}</h3>
        <span class="note">
          {file ?? 'uploaded'}
          {scenario.extends.length > 0 && ` · extends ${scenario.extends.join(', ')}`}
        </span>
        <span class="spacer" />
        <Switch
          label={`${id} in this session`}
          text="Session"
          isOn={active === 'session'}
          onClick={() => toggle('session')}
        />
        <Switch
          label={`${id} in all sessions`}
          text="Server"
          isOn={active === 'server'}
          onClick={() => toggle('server')}
        />
        <button type="button" onClick={onEdit} aria-label={`Edit ${id}`}>
          Edit
        </button>
        {file === undefined && (
          <button type="button" class="danger" onClick={() => onChange(path, 'DELETE')} aria-label={`Delete ${id}`}>
            Delete
          </button>
        )}
      </div>
      {description !== undefined && <p>{description}</p>}
      {rules.length > 0 && (
        <ul class="rules">
          {rules.map(({ key, operation, met, hits }) => (
            <li>
              <code>{key}</code> <span class="dim">{operation}</span>{' '}
              <span class="note">
                met {met} · applied {hits}
              </span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Switch(props: {
  readonly label: string;
  readonly text: string;
  readonly isOn: boolean;
  readonly onClick: () => void;
}): JSX.Element {
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={props.isOn}
      aria-label={props.label}
      onClick={props.onClick}
    >
      {props.text}
    </button>
  );
}

const known: { schema?: Promise<Record<string, unknown>> | undefined } = {};

/** The schema of scenarios, which takes the mock a second for a large document: it is loaded once. */
function loadSchema(): Promise<Record<string, unknown>> {
  known.schema ??= call<Record<string, unknown>>('GET', '/contract/scenario-schema').catch((error: unknown) => {
    known.schema = undefined;
    throw error;
  });
  return known.schema;
}

/** Milliseconds after the last key until the text is checked. */
const CHECK_AFTER_MS = 300;

function ScenarioEditor(props: {
  readonly draft: Draft;
  readonly session: string;
  readonly onChange: (draft: Draft) => void;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { draft, session, onChange, onSaved, onClose } = props;
  const { value: schema } = useLoaded(loadSchema, []);
  const [checked, setChecked] = useState<{ readonly text: string; readonly error?: Error } | undefined>();
  const [saved, setSaved] = useState('');
  const { error, run, clear } = useAction();
  const path = `/scenarios/${encodeURIComponent(draft.id)}`;
  useEffect(() => {
    setSaved('');
    clear();
    const timer = setTimeout(() => {
      const { text } = draft;
      check(path, text).then(
        () => setChecked({ text }),
        (reason: unknown) => setChecked({ text, error: reason instanceof Error ? reason : new Error(String(reason)) }),
      );
    }, CHECK_AFTER_MS);
    return () => clearTimeout(timer);
  }, [draft.id, draft.text]);
  const isValid = checked?.text === draft.text && checked.error === undefined;
  const save = async (isActivated: boolean): Promise<void> => {
    await sendYaml('PUT', ofSession(path, session), draft.text);
    if (isActivated) await call('POST', ofSession(`${path}/activate`, session));
    setSaved(isActivated ? 'Active in this session' : 'Saved until the mock is closed');
    onSaved();
  };
  // With another id it is another scenario.
  const file = draft.of?.id === draft.id ? draft.of.file : undefined;
  const saveFile = async (): Promise<void> => {
    const hash = draft.of?.hash;
    const at = ofSession(`${path}/file${hash === undefined ? '' : `?hash=${hash}`}`, session);
    await sendYaml('PUT', at, draft.text);
    onChange(await readDraft(draft.id));
    setSaved(`Saved to ${file}`);
    onSaved();
  };
  return (
    <section class="card editing" aria-label="Edit a scenario">
      <div class="card-head">
        <label class="choice">
          <span>Id</span>
          <input value={draft.id} onInput={({ currentTarget }) => onChange({ ...draft, id: currentTarget.value })} />
        </label>
        <span class="note" role="status">
          {saved !== '' ? saved : isValid ? 'Valid' : ''}
        </span>
        <span class="spacer" />
        <button type="button" class="primary" onClick={() => run(() => save(true))}>
          Try
        </button>
        <button type="button" onClick={() => run(() => (file === undefined ? save(false) : saveFile()))}>
          {file === undefined ? 'Save' : 'Save to file'}
        </button>
        <button type="button" onClick={() => downloadText(`${draft.id}.yaml`, draft.text)}>
          Download
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <Editor
        label="Scenario as YAML"
        value={draft.text}
        rows={Math.min(28, Math.max(10, draft.text.split('\n').length + 1))}
        schema={schema}
        onChange={(text) => onChange({ ...draft, text })}
      />
      <p class="note">
        Ctrl+Space lists what can be written.{' '}
        {file === undefined
          ? 'A saved scenario lasts until the mock is closed; download it to keep it.'
          : `Try changes nothing in ${file}; Save to file writes it.`}
      </p>
      <Problem error={error ?? checked?.error} />
    </section>
  );
}

async function check(path: string, text: string): Promise<void> {
  await sendYaml('POST', `${path}/check`, text);
}
