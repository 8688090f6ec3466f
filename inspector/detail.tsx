import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Bytes, call, type Details, ofSession, type Row } from './api.ts';
import { toCurl, toFetch, toFixture, toScenario } from './copy.ts';
import { Hex, Json, Problem, Section, Status, Text, useAction, useLoaded } from './parts.tsx';

interface DetailProps {
  readonly row: Row;
  /** The URL of the mock before the path of a request. */
  readonly root: string;
  readonly onClose: () => void;
  readonly onScenario: (definition: object) => void;
}

/** One interaction: its request, its response, and why it got this answer. */
export function Detail({ row, root, onClose, onScenario }: DetailProps): JSX.Element {
  const path = `/journal/${row.number}`;
  const { value, error } = useLoaded(
    () => call<Details>('GET', ofSession(path, row.session)),
    [row.session, row.number],
  );
  const details =
    value?.interaction.number === row.number && value.interaction.session === row.session ? value : undefined;
  return (
    <section class="detail" aria-label={`Request ${row.number} of session ${row.session}`}>
      <header class="detail-head">
        <h2>
          <span class="method">{row.method}</span> {row.url}
        </h2>
        <button type="button" class="plain" onClick={onClose} aria-label="Close the request" title="Close (Escape)">
          ×
        </button>
      </header>
      <Problem error={details === undefined ? error : undefined} />
      {details !== undefined && <Facts details={details} row={row} root={root} onScenario={onScenario} />}
    </section>
  );
}

function Facts(props: Omit<DetailProps, 'onClose'> & { readonly details: Details }): JSX.Element {
  const { details, row } = props;
  const { interaction, bytes } = details;
  const { request, answer } = interaction;
  return (
    <div class="detail-body">
      <p class="facts">
        <Status code={answer.status} /> from <strong>{answer.from}</strong> in {interaction.elapsedMs} ms · #
        {row.number} of session {row.session} · session clock {interaction.at}
        {details.declaredAt !== undefined && (
          <>
            {' '}
            · <span>{interaction.operation}</span> declared at <code>{details.declaredAt}</code>
          </>
        )}
      </p>
      <Actions {...props} />
      <Violations details={details} />
      <Why interaction={interaction} />
      <Message
        title="Response"
        headers={answer.headers}
        body={answer.body}
        bytes={bytes.answer}
        mediaType={answer.mediaType}
      />
      <Message
        title="Request"
        headers={request.headers}
        body={request.body}
        bytes={bytes.request}
        mediaType={request.headers['content-type']}
        parameters={{ path: request.path, query: request.query }}
      />
    </div>
  );
}

function Actions({
  details,
  row,
  root,
  onScenario,
}: Omit<DetailProps, 'onClose'> & { readonly details: Details }): JSX.Element {
  const { interaction } = details;
  const { error, run } = useAction();
  const [done, setDone] = useState('');
  useEffect(() => setDone(''), [row]);
  const copy = (name: string, text: string): void =>
    run(async () => {
      await navigator.clipboard.writeText(text);
      setDone(`Copied as ${name}`);
    });
  const replay = async (): Promise<void> => {
    const path = `/journal/${row.number}/replay`;
    const { status, number } = await call<{ status: number; number?: number }>('POST', ofSession(path, row.session));
    setDone(`Answered ${status}${number === undefined ? '' : ` as #${number}`}`);
  };
  return (
    <>
      <div class="actions">
        <button type="button" onClick={() => run(replay)}>
          Replay
        </button>
        <CopyMenu
          choices={[
            ['curl', () => copy('curl', toCurl(interaction, root))],
            ['fetch', () => copy('fetch', toFetch(interaction, root))],
            ['scenario rule', () => copy('scenario rule', JSON.stringify(toScenario(interaction), undefined, 2))],
            ['fixture', () => copy('fixture', JSON.stringify(toFixture(interaction), undefined, 2))],
          ]}
        />
        <button type="button" onClick={() => onScenario(toScenario(interaction))}>
          Edit as scenario
        </button>
        <span class="note" role="status">
          {done}
        </span>
      </div>
      <Problem error={error} />
    </>
  );
}

function CopyMenu({ choices }: { readonly choices: readonly (readonly [string, () => void])[] }): JSX.Element {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = (): void => menu.current?.removeAttribute('open');
  return (
    <details
      class="menu"
      ref={menu}
      onKeyDown={(event) => event.key === 'Escape' && (close(), event.stopPropagation())}
    >
      <summary>Copy as</summary>
      <div>
        {choices.map(([name, run]) => (
          <button type="button" onClick={() => (close(), run())}>
            {name}
          </button>
        ))}
      </div>
    </details>
  );
}

function Violations({ details }: { readonly details: Details }): JSX.Element | null {
  const { violations, answer } = details.interaction;
  if (violations.length === 0 && answer.violates === undefined) return null;
  return (
    <Section title="Violations" note={violations.length}>
      {answer.violates !== undefined && <p>The scenario breaks the contract on purpose: {answer.violates}</p>}
      <ul class="violations">
        {violations.map(({ code, severity, message, by, schemaPointer }) => (
          <li class={severity}>
            <p>{message}</p>
            <p class="note">
              {code} · {severity} of the {by}
              {schemaPointer !== undefined && (
                <>
                  {' '}
                  · declared at <code>{details.places[schemaPointer] ?? `#${schemaPointer}`}</code>
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Each source that was asked, and why it did or did not answer. */
function Why({ interaction }: { readonly interaction: Details['interaction'] }): JSX.Element {
  const { trace, answer } = interaction;
  return (
    <Section title="Why this answer" note={`${answer.from} answered`}>
      <ol class="trace">
        {trace.map((line) => {
          const [, source = '', reason = line] = /^([^:\s]+(?::[^:\s]+)?): (.*)$/s.exec(line) ?? [];
          return (
            <li>
              <span class="source">{source}</span>
              <span>{reason}</span>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}

interface MessageProps {
  readonly title: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
  readonly bytes: Bytes | undefined;
  readonly mediaType: string | undefined;
  readonly parameters?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

function Message({ title, headers, body, bytes, mediaType, parameters = {} }: MessageProps): JSX.Element {
  const pairs = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((each) => [name, each] as const));
  const decoded = Object.entries(parameters).flatMap(([place, values]) =>
    Object.entries(values).map(([name, value]) => [`${place} ${name}`, JSON.stringify(value)] as const),
  );
  return (
    <Section title={title} note={mediaType}>
      {decoded.length > 0 && <Fields label="Parameters" pairs={decoded} />}
      {pairs.length > 0 && <Fields label="Headers" pairs={pairs} />}
      <Body body={body} bytes={bytes} isStream={/event-stream|ndjson|json-seq|jsonl/.test(mediaType ?? '')} />
    </Section>
  );
}

function Fields({
  label,
  pairs,
}: {
  readonly label: string;
  readonly pairs: readonly (readonly [string, string])[];
}): JSX.Element {
  return (
    <dl class="fields" aria-label={label}>
      {pairs.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Body({
  body,
  bytes,
  isStream,
}: Pick<MessageProps, 'body' | 'bytes'> & { readonly isStream: boolean }): JSX.Element {
  if (bytes !== undefined) return <Hex bytes={bytes} />;
  if (body === undefined) return <p class="note">No body</p>;
  if (typeof body === 'string') return <Text>{body}</Text>;
  if (!isStream || !Array.isArray(body)) return <Json value={body} />;
  return (
    <ol class="events" aria-label="Events">
      {body.map((event) => (
        <li>
          <Json value={event} />
        </li>
      ))}
    </ol>
  );
}
