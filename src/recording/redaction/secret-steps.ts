import { isObject, setOwn } from '../../contract/json.js';
import { ExactNumber } from '../cassette/exact-json.js';
import { findLabel, type JsonPlace, ORDINARY_LOCATION, type SecretWalk, type VisitText } from './secret-walk.js';

/** A walk through a JSON value in steps, so that a large value does not block the process. */
export interface SecretSteps {
  /** The visited value, complete when the last step is made. */
  readonly result: unknown;
  /** Visits that many parts of the value. @returns whether all were visited. */
  run(count: number): boolean;
}

interface StepParts {
  readonly walk: SecretWalk;
  readonly visit: VisitText;
  /** Converts each value before it is visited. */
  read(value: unknown): unknown;
}

/** An array or object whose parts are being visited; an object has names. */
type Frame = { readonly place: JsonPlace; next: number } & (
  | { readonly names: undefined; readonly value: readonly unknown[]; readonly result: unknown[] }
  | {
      readonly names: readonly string[];
      readonly value: Readonly<Record<string, unknown>>;
      readonly result: Record<string, unknown>;
      readonly label: string | undefined;
    }
);

/** Starts a walk through a JSON value at a place: the same strings are visited as by `json`, in the same order. */
export function startSecretSteps(
  root: unknown,
  at: Parameters<SecretWalk['root']>[0],
  { walk, visit, read }: StepParts,
): SecretSteps {
  const frames: Frame[] = [];
  /** Visits a value; the parts of an array or object are visited in later steps. */
  const enter = (value: unknown, place: JsonPlace): unknown => {
    if (Array.isArray(value)) {
      const frame = { value, names: undefined, place, result: [], next: 0 };
      frames.push(frame);
      return frame.result;
    }
    if (!isObject(value) || value instanceof ExactNumber) return walk.scalar(value, place, visit);
    const frame = { value, names: Object.keys(value), label: findLabel(value), place, result: {}, next: 0 };
    frames.push(frame);
    return frame.result;
  };
  const step = (frame: Frame): void => {
    const i = frame.next;
    frame.next += 1;
    if (i >= (frame.names ?? frame.value).length) {
      frames.pop();
    } else if (frame.names === undefined) {
      frame.result.push(enter(read(frame.value[i]), walk.item(frame.place, i)));
    } else {
      const name = frame.names[i] ?? '';
      const value = read(frame.value[name]);
      const place = walk.member(frame.place, name, { value, label: frame.label });
      setOwn(frame.result, visit(name, ORDINARY_LOCATION), enter(value, place));
    }
  };
  const result = enter(read(root), walk.root(at));
  return {
    result,
    run: (count) => {
      for (let i = 0; i < count; i++) {
        const frame = frames.at(-1);
        if (frame === undefined) return true;
        step(frame);
      }
      return frames.length === 0;
    },
  };
}
