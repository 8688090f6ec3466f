import { measureValue, type UndoLog } from './lists/usage.js';

/** How many answers to requests with an `Idempotency-Key` a store remembers, and their size in bytes. */
const MAX_ANSWERS = 1000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** An answer to a request with an `Idempotency-Key`. */
export interface RememberedAnswer {
  readonly answer: unknown;
  readonly size: number;
}

/** The answers that a store remembers. */
export interface RememberedAnswers {
  readonly byKey: Map<string, RememberedAnswer>;
  bytes: number;
}

/** No answers, or a copy. */
export function createAnswers({ byKey, bytes }: RememberedAnswers = { byKey: new Map(), bytes: 0 }): RememberedAnswers {
  return { byKey: new Map(byKey), bytes };
}

/** Remembers an answer in place of the oldest ones. */
export function rememberAnswer(
  answers: RememberedAnswers,
  log: UndoLog,
  [key, answer]: readonly [string, unknown],
): void {
  const { byKey } = answers;
  const before = answers.bytes;
  const size = key.length + measureValue(answer);
  const forgotten: (readonly [string, RememberedAnswer])[] = [];
  // A Map keeps the order of insertion: the first key is the oldest.
  for (const each of byKey) {
    if (byKey.size < MAX_ANSWERS && answers.bytes + size <= MAX_ANSWER_BYTES) break;
    byKey.delete(each[0]);
    answers.bytes -= each[1].size;
    forgotten.push(each);
  }
  byKey.set(key, { answer, size });
  answers.bytes += size;
  log.push(() => {
    byKey.delete(key);
    answers.bytes = before;
    if (forgotten.length === 0) return;
    const later = [...byKey];
    byKey.clear();
    for (const [name, each] of [...forgotten, ...later]) byKey.set(name, each);
  });
}
