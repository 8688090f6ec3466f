import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, type Bytes } from './api.ts';

/** An error of the control API with its hint and every mistake. */
export function Problem({ error }: { readonly error: Error | undefined }): JSX.Element | null {
  if (error === undefined) return null;
  const { hint, errors = [] } = error instanceof ApiError ? error : { hint: undefined };
  return (
    <div class="problem" role="alert">
      <strong>{error.message}</strong>
      {errors.length > 1 && (
        <ul>
          {errors.map(({ pointer, message }) => (
            <li>
              <code>{pointer}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {hint !== undefined && <p>{hint}</p>}
    </div>
  );
}

/** What was loaded last, the error of the last attempt, and how to load again. */
export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  reload(): void;
}

/** Loads a value when the page part is shown and when one of the keys changes. */
export function useLoaded<Value>(load: () => Promise<Value>, keys: readonly unknown[]): Loaded<Value> {
  const [state, setState] = useState<{ readonly value?: Value; readonly error?: Error }>({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (value) => isCurrent && setState({ value }),
      (error: unknown) => isCurrent && setState((before) => ({ ...before, error: toError(error) })),
    );
    return () => void (isCurrent = false);
  }, [...keys, turn]);
  return { value: state.value, error: state.error, reload: () => setTurn((count) => count + 1) };
}

/** Runs what a button does, and keeps its error. */
export function useAction(): {
  readonly error: Error | undefined;
  run(work: () => Promise<unknown>): void;
  clear(): void;
} {
  const [error, setError] = useState<Error | undefined>();
  return {
    error,
    run: (work) => {
      setError(undefined);
      work().catch((reason: unknown) => setError(toError(reason)));
    },
    clear: () => setError(undefined),
  };
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** A labelled choice. */
export function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}): JSX.Element {
  const { label, value, options, onChange } = props;
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([each, text]) => (
          <option value={each}>{text}</option>
        ))}
      </select>
    </label>
  );
}

/** A part of a view with a heading that opens and closes it. */
export function Section(props: {
  readonly title: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly closed?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <details class="section" open={props.closed !== true}>
      <summary>
        <h3>{props.title}</h3>
        {props.note !== undefined && <span class="note">{props.note}</span>}
      </summary>
      <div class="section-body">{props.children}</div>
    </details>
  );
}

/** A status with the colour of its hundred. */
export function Status({ code }: { readonly code: number }): JSX.Element {
  return <span class={`status s${Math.floor(code / 100)}`}>{code === 0 ? 'none' : code}</span>;
}

/** Characters of JSON that are coloured; colouring more would be slow. */
const MAX_COLOURED = 100_000;
const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A value as indented JSON with colours. */
export function Json({ value }: { readonly value: unknown }): JSX.Element {
  const text = JSON.stringify(value, undefined, 2) ?? 'undefined';
  if (text.length > MAX_COLOURED) return <Text>{text}</Text>;
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [whole, string, colon] = match;
    parts.push(text.slice(end, match.index));
    const kind = string === undefined ? 'literal' : colon === undefined ? 'string' : 'name';
    parts.push(<span class={kind}>{string ?? whole}</span>, colon ?? '');
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return <Text>{parts}</Text>;
}

/** Preformatted text that scrolls, also with the keyboard. */
export function Text({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <pre class="text" tabIndex={0}>
      {children}
    </pre>
  );
}

/** Bytes as hex and as ASCII, sixteen in a row. */
export function Hex({ bytes }: { readonly bytes: Bytes }): JSX.Element {
  const pairs = bytes.hex.match(/../g) ?? [];
  const lines: string[] = [];
  for (let at = 0; at < pairs.length; at += 16) {
    const row = pairs.slice(at, at + 16);
    const ascii = row.map((pair) => {
      const code = Number.parseInt(pair, 16);
      return code >= 32 && code < 127 ? String.fromCharCode(code) : '.';
    });
    lines.push(`${at.toString(16).padStart(6, '0')}  ${row.join(' ').padEnd(47)}  ${ascii.join('')}`);
  }
  const rest = bytes.size - pairs.length;
  return (
    <>
      <Text>{lines.join('\n')}</Text>
      {rest > 0 && <p class="note">and {rest} more bytes</p>}
    </>
  );
}

/** Saves a value as a JSON file. */
export function download(name: string, value: unknown): void {
  downloadText(name, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** Saves a file. */
export function downloadText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text]));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** `3 items`, or `3 of 2,431 items` if there are more than are shown. */
export function countOf(shown: number, all: number, noun: string): string {
  const [some, total] = [shown, all].map((count) => count.toLocaleString('en'));
  return shown >= all ? `${some} ${noun}` : `${some} of ${total} ${noun}`;
}
