import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { call, type Contract, type Operation, ofSession } from './api.ts';
import { Editor } from './editor.tsx';
import type { Usage } from './log.ts';
import { Choice, countOf, Problem, Section, Status, Text, useAction, useLoaded } from './parts.tsx';
import { Reference } from './reference.tsx';

interface ContractViewProps {
  readonly contract: Contract;
  readonly session: string;
  readonly usage: Usage;
  readonly root: string;
}

/** The operations: what each does to the state, what was used of it, and its reference. */
export function ContractView({ contract, session, usage, root }: ContractViewProps): JSX.Element {
  const [search, setSearch] = useState('');
  const [resource, setResource] = useState('');
  const [use, setUse] = useState('');
  const [open, setOpen] = useState<string | undefined>();
  const document = useLoaded(() => call<Record<string, unknown>>('GET', '/contract/document'), []);
  const { operations } = contract;
  const shown = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    return operations.filter(({ id, method, path, summary = '', collection = NO_STATE }) => {
      if (resource !== '' && collection !== resource) return false;
      if (use !== '' && usage.has(id) !== (use === 'used')) return false;
      const text = `${id} ${method} ${path} ${summary}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }, [operations, search, resource, use, usage]);
  const states = useMemo(() => listStates(contract.collections), [contract]);
  const used = operations.filter(({ id }) => usage.has(id)).length;
  return (
    <div class="page">
      <div class="page-head">
        <h2>Operations</h2>
        <span class="note" aria-live="polite">
          {countOf(shown.length, operations.length, 'operations')}, {used} used
        </span>
        <span class="spacer" />
        <input
          type="search"
          aria-label="Search operations"
          placeholder="Search operations  /"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <Choice label="State" value={resource} options={states} onChange={setResource} />
        <Choice label="Use" value={use} options={USES} onChange={setUse} />
      </div>
      <Problem error={document.error} />
      <Problems contract={contract} />
      <ul class="cards">
        {shown.slice(0, MAX_SHOWN).map((operation) => (
          <li class="card" key={operation.id}>
            <Head
              operation={operation}
              usage={usage.get(operation.id)}
              isOpen={open === operation.id}
              onClick={() => setOpen(open === operation.id ? undefined : operation.id)}
            />
            {open === operation.id && (
              <>
                {operation.why !== undefined && <p class="note">State: {operation.why}</p>}
                <Send operation={operation} session={session} root={root} />
                {document.value !== undefined && <Reference operation={operation} document={document.value} />}
              </>
            )}
          </li>
        ))}
      </ul>
      {shown.length > MAX_SHOWN && <p class="note">The first {MAX_SHOWN} are shown; search for the others.</p>}
    </div>
  );
}

const MAX_SHOWN = 200;

const NO_STATE = 'no state';

const USES = [
  ['', 'All'],
  ['used', 'Used'],
  ['unused', 'Not used'],
] as const;

function listStates(collections: readonly string[]): readonly (readonly [string, string])[] {
  return [['', 'All'], [NO_STATE, 'No state'], ...collections.map((name) => [name, name] as const)];
}

function Problems({ contract: { problems } }: { readonly contract: Contract }): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <Section title="Problems of the document" note={problems.length} closed>
      <ul class="violations">
        {problems.slice(0, MAX_SHOWN).map(({ code, severity, message, assumed, at }) => (
          <li class={severity}>
            <p>
              {message}
              {assumed !== undefined && `; ${assumed}`}
            </p>
            <p class="note">
              {code} · <code>{at}</code>
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Head(props: {
  readonly operation: Operation;
  readonly usage: ReadonlyMap<number, number> | undefined;
  readonly isOpen: boolean;
  readonly onClick: () => void;
}): JSX.Element {
  const { operation, usage = new Map<number, number>(), isOpen, onClick } = props;
  const { id, method, path, summary, deprecated, collection, action, statuses } = operation;
  const unused = statuses.filter((status) => ![...usage.keys()].some((code) => matches(status, code)));
  return (
    <button type="button" class="plain operation" aria-expanded={isOpen} onClick={onClick}>
      <span class="method">{method}</span>
      <span class="path">{path}</span>
      <span>
        {id} {deprecated && <span class="note">deprecated</span>}
        {summary !== undefined && <span class="note summary"> {summary}</span>}
      </span>
      <span class="note">{collection === undefined ? 'no state' : `${action} ${collection}`}</span>
      <span class="usage">
        {[...usage].map(([code, count]) => (
          <span>
            <Status code={code} /> ×{count}{' '}
          </span>
        ))}
        {unused.length > 0 && <span class="note">not used: {unused.join(', ')}</span>}
      </span>
    </button>
  );
}

function matches(declared: string, status: number): boolean {
  return declared === String(status) || declared === `${Math.floor(status / 100)}XX`;
}

interface Sample {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A form that sends a request, filled in with a valid one. */
function Send({
  operation,
  session,
  root,
}: {
  readonly operation: Operation;
  readonly session: string;
  readonly root: string;
}): JSX.Element {
  const path = `/contract/operations/${encodeURIComponent(operation.id)}/sample`;
  const { value, error } = useLoaded(() => call<Sample>('GET', ofSession(path, session)), [path, session]);
  return (
    <Section title="Send a request">
      <Problem error={error} />
      {value !== undefined && <Form key={value.url} sample={value} session={session} root={root} />}
    </Section>
  );
}

function Form({
  sample,
  session,
  root,
}: {
  readonly sample: Sample;
  readonly session: string;
  readonly root: string;
}): JSX.Element {
  const [url, setUrl] = useState(sample.url);
  const [headers, setHeaders] = useState(writeHeaders(sample.headers));
  const [body, setBody] = useState(indent(sample.body));
  const [answer, setAnswer] = useState<{ readonly status: number; readonly text: string } | undefined>();
  const { error, run } = useAction();
  const send = async (): Promise<void> => {
    setAnswer(undefined);
    const fields = new Headers(readHeaders(headers));
    fields.set('x-mock-session', session);
    const init = { method: sample.method, headers: fields, ...(body !== undefined && { body }) };
    try {
      const response = await fetch(root + url, init);
      setAnswer({ status: response.status, text: indent(await response.text()) ?? '' });
    } catch (error) {
      throw new Error('the response did not arrive completely; the log says why', { cause: error });
    }
  };
  return (
    <form
      class="send"
      onSubmit={(event) => {
        event.preventDefault();
        run(send);
      }}
    >
      <label>
        <span>{sample.method} path and query</span>
        <input class="path" value={url} onInput={({ currentTarget }) => setUrl(currentTarget.value)} />
      </label>
      <label>
        <span>Headers</span>
        <textarea
          rows={3}
          value={headers}
          spellcheck={false}
          onInput={({ currentTarget }) => setHeaders(currentTarget.value)}
        />
      </label>
      {body !== undefined && (
        <Editor label="Body" value={body} rows={Math.min(16, body.split('\n').length + 1)} onChange={setBody} />
      )}
      <div class="actions">
        <button type="submit" class="primary">
          Send
        </button>
        {answer !== undefined && (
          <span role="status">
            <Status code={answer.status} />
          </span>
        )}
      </div>
      <Problem error={error} />
      {answer !== undefined && answer.text !== '' && <Text>{answer.text}</Text>}
    </form>
  );
}

/** JSON with indentation; other text as it is. */
function indent(text: string | undefined): string | undefined {
  if (text === undefined || !/^[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

function writeHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function readHeaders(text: string): [string, string][] {
  return text.split('\n').flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    return colon <= 0 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]];
  });
}
