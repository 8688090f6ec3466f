import { createRandom } from '../../../src/base/random.js';
import { createDocument } from './document.js';
import { type Failure, live } from './life.js';
import type { Plan } from './names.js';
import { CHOICES, drawShape, hasChoices, listDifferences, RESPECTS, settle, type Shape, toName } from './shape.js';
import { drawWords } from './words.js';

/** The plan of a seed. */
export function drawPlan(seed: number): Plan {
  return { shape: drawShape(createRandom(seed, 'shape')), words: drawWords(createRandom(seed, 'words')) };
}

/** Lives that fail alike, by the smallest combination of choices that still does. */
export interface FailureClass {
  readonly choices: Partial<Shape>;
  readonly plan: Plan;
  readonly failure: Failure;
  readonly seeds: readonly number[];
}

/** Lives the lives of some seeds. Returns the classes of failures, largest first. */
export async function runLives(seeds: readonly number[]): Promise<readonly FailureClass[]> {
  let classes: readonly FailureClass[] = [];
  for (const seed of seeds) {
    const plan = drawPlan(seed);
    const failure = await live(plan);
    if (failure !== undefined) classes = await addFailure(classes, { seed, plan, failure });
  }
  return classes.toSorted((one, other) => other.seeds.length - one.seeds.length);
}

interface Failed {
  readonly seed: number;
  readonly plan: Plan;
  readonly failure: Failure;
}

async function addFailure(classes: readonly FailureClass[], failed: Failed): Promise<readonly FailureClass[]> {
  const { seed, plan, failure } = failed;
  const isSame = ({ choices, failure: { check } }: FailureClass): boolean =>
    check === failure.check && hasChoices(plan.shape, choices);
  const known = classes.find(isSame);
  if (known === undefined) {
    const { shape, failure: reduced } = await reduce(plan, failure);
    const choices = listDifferences(shape);
    const name = toName(choices);
    const found = classes.find((each) => each.failure.check === failure.check && toName(each.choices) === name);
    if (found === undefined)
      return [...classes, { choices, plan: { ...plan, shape }, failure: reduced, seeds: [seed] }];
    return classes.map((each) => (each === found ? { ...each, seeds: [...each.seeds, seed] } : each));
  }
  return classes.map((each) => (each === known ? { ...each, seeds: [...each.seeds, seed] } : each));
}

/** Makes choices of a failing life plain, or at least plainer, while it fails in the same way. */
async function reduce(plan: Plan, failure: Failure): Promise<{ readonly shape: Shape; readonly failure: Failure }> {
  for (const shape of listPlainer(plan.shape)) {
    const plainer = { ...plan, shape };
    const found = await live(plainer);
    if (found?.check === failure.check) return reduce(plainer, found);
  }
  return { shape: plan.shape, failure };
}

/** The shapes that have a plainer choice in one respect, the plainest first. */
const listPlainer = (shape: Shape): readonly Shape[] =>
  RESPECTS.flatMap((respect) => {
    const choices: readonly string[] = CHOICES[respect];
    const plainer = choices.slice(0, choices.indexOf(shape[respect]));
    return plainer.map((choice) => settle({ ...shape, [respect]: choice })).filter((next) => rank(next) < rank(shape));
  });

/** How far a shape is from the plainest one: first by the number of differences. */
const rank = (shape: Shape): number =>
  RESPECTS.reduce((sum, respect) => {
    const choices: readonly string[] = CHOICES[respect];
    const place = choices.indexOf(shape[respect]);
    return place === 0 ? sum : sum + 100 + place;
  }, 0);

/** What a developer needs to see of a class. */
export const describeClass = ({ plan, failure, seeds }: FailureClass): string =>
  `${seeds.length} × ${describeFailure(plan, failure)}\n  seeds ${seeds.slice(0, 5).join(', ')}`;

/** Shows what was wrong in a life, its last requests and its document. */
export function describeFailure(plan: Plan, { check, expected, got, answers }: Failure): string {
  const requests = answers
    .slice(-4)
    .flatMap(({ line, sent, status, source, violations, body }) => [
      `  ${line} ${sent === undefined ? '' : JSON.stringify(sent)}`,
      `    ${status} ${source} ${violations ?? ''} ${JSON.stringify(body)}`,
    ]);
  return [
    `${toName(plan.shape)}: not true that ${check}`,
    `  expected ${JSON.stringify(expected)}`,
    `  got      ${JSON.stringify(got)}`,
    ...requests,
    `  ${JSON.stringify(createDocument(plan))}`,
  ].join('\n');
}
