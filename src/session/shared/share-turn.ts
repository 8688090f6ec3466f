import { setImmediate } from '../../platform.js';

/**
 * Calls of one turn of the event loop share one run of a function, which begins after all of them: what is written before a call is there when it
 * reads.
 */
export function shareTurn<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let next: Promise<Result> | undefined;
  return () => {
    next ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        next = undefined;
        work().then(resolve, reject);
      });
    });
    return next;
  };
}
