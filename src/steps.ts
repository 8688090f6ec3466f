/** Work in steps, between which the mock can answer requests. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does all steps at once. @returns what they lead to. */
export function doSteps<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
