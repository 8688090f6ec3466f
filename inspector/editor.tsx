import type { JSX } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { complete, type Completion } from './completion.ts';

interface EditorProps {
  readonly label: string;
  readonly value: string;
  readonly rows: number;
  /** Completes names and values; undefined for none. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  readonly onChange: (value: string) => void;
}

/** An editor of JSON or YAML. With a schema, Ctrl+Space lists what can be written at the cursor. */
export function Editor({ label, value, rows, schema, onChange }: EditorProps): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  const [found, setFound] = useState<Completion | undefined>();
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const cursor = useRef<number | undefined>(undefined);
  // Before the next key, which would be written at the end.
  useLayoutEffect(() => {
    if (cursor.current === undefined) return;
    area.current?.setSelectionRange(cursor.current, cursor.current);
    cursor.current = undefined;
  }, [value]);
  const look = (text: string, at: number): void => {
    setFound(schema && complete(text, at, schema));
    setChosen(0);
  };
  const write = (choice: Completion['choices'][number] | undefined): void => {
    if (found === undefined || choice === undefined) return;
    cursor.current = found.from + choice.text.length;
    onChange(value.slice(0, found.from) + choice.text + value.slice(found.to));
    setFound(undefined);
    area.current?.focus();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === ' ' && event.ctrlKey && area.current !== null) {
      event.preventDefault();
      look(value, area.current.selectionStart);
      return;
    }
    if (found === undefined) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((chosen + step + found.choices.length) % found.choices.length);
    else if (event.key === 'Enter' || event.key === 'Tab') write(found.choices[chosen]);
    else if (event.key === 'Escape') setFound(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="editor">
      <textarea
        ref={area}
        aria-label={label}
        aria-controls={found && id}
        aria-autocomplete={schema && 'list'}
        rows={rows}
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => {
          onChange(currentTarget.value);
          const isWord = /["\w]$/.test(currentTarget.value.slice(0, currentTarget.selectionStart));
          if (isWord) look(currentTarget.value, currentTarget.selectionStart);
          else setFound(undefined);
        }}
        onKeyDown={onKey}
        onBlur={({ relatedTarget }) => {
          if (!(relatedTarget instanceof Element && relatedTarget.closest('.choices'))) setFound(undefined);
        }}
      />
      {found !== undefined && (
        <ul class="choices" id={id} role="listbox" aria-label="Completions">
          {found.choices.map((choice, i) => (
            <li
              role="option"
              aria-selected={i === chosen}
              ref={(item) => void (i === chosen && item?.scrollIntoView({ block: 'nearest' }))}
              onMouseDown={(event) => (event.preventDefault(), write(choice))}
            >
              <code>{choice.label}</code> <span class="note">{choice.note}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The value of a JSON text. @throws Error that says where it is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`this is not JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** A value as an editor shows it. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
