import type { Contract } from '../contract/contract.js';
import { fromReference } from '../contract/pointer.js';
import type { Schema, SchemaObject } from '../contract/json.js';
import { closeDraft, foldKeywords } from './fold.js';
import { readDiscriminator, readHeirs } from './discriminator.js';
import { readNegations } from './negate.js';
import { type Choice, createDraft, type Draft, isKeywords, type Option, type Part, type Shape } from './shape.js';

/** Which option was taken of each choice, by the choice's id. */
export type Decisions = ReadonlyMap<string, number>;

/** No choice made yet. */
export const UNDECIDED: Decisions = new Map();

/** Folds schemas that must all hold into one shape, with some choices made. */
export interface Expander {
  expand(parts: readonly Part[], decisions: Decisions): Shape;
  /** Follows one `$ref`; undefined where it leads nowhere. */
  follow(reference: string): Part | undefined;
}

/** Creates an expander over one contract; shapes are folded once and kept. */
export function createExpander(contract: Contract): Expander {
  const shapes = new Map<string, Shape>();
  const targets = new Map<string, Part | undefined>();
  const follow = (reference: string): Part | undefined => {
    if (targets.has(reference)) return targets.get(reference);
    const target = find(reference);
    targets.set(reference, target);
    return target;
  };
  const find = (reference: string): Part | undefined => {
    const pointer = fromReference(reference);
    const schema = pointer === undefined ? undefined : contract.at(pointer);
    // What stands at the target of a schema's reference is a schema; anything else is taken for one that demands nothing.
    if (pointer === undefined || schema === undefined) return undefined;
    return { schema: isKeywords(schema) ? schema : schema !== false, pointer };
  };
  const fold: FoldPart = (draft, part, work) => {
    if (work.seen.has(part.pointer)) return;
    work.seen.add(part.pointer);
    if (part.schema === false) draft.impossible ??= `nothing is allowed at ${part.pointer}`;
    if (!isKeywords(part.schema)) return;
    const { schema, pointer } = part;
    const reference = schema.$ref ?? schema.$dynamicRef;
    const target = typeof reference === 'string' ? follow(reference) : undefined;
    if (target !== undefined) fold(draft, target, work);
    foldKeywords(draft, schema, part);
    if (Array.isArray(schema.allOf)) {
      schema.allOf.forEach((one, i) => fold(draft, { schema: one, pointer: `${pointer}/allOf/${i}` }, work));
    }
    for (const choice of readChoices(schema, part, follow)) decide(draft, choice, { ...work, fold });
    const heirs = schema.discriminator === undefined ? undefined : readHeirs({ schema, part, seen: work.seen, follow });
    if (heirs !== undefined) decide(draft, heirs, { ...work, fold });
  };
  const build = (parts: readonly Part[], decisions: Decisions): Shape => {
    const draft = createDraft();
    const work = { seen: new Set<string>(), decisions };
    for (const part of parts) fold(draft, part, work);
    for (const part of draft.forbidden) {
      for (const choice of readNegations(part, follow)) decide(draft, choice, { ...work, fold });
    }
    closeDraft(draft);
    return draft;
  };
  return {
    follow,
    expand(parts, decisions) {
      const key = readShapeKey(parts, decisions);
      const known = shapes.get(key);
      if (known !== undefined) return known;
      const shape = build(parts, decisions);
      shapes.set(key, shape);
      return shape;
    },
  };
}

interface Work {
  /** Pointers folded already: a cycle of `$ref` or `allOf` ends here. */
  readonly seen: Set<string>;
  readonly decisions: Decisions;
}

type FoldPart = (draft: Draft, part: Part, work: Work) => void;

/** Takes the option that was decided, or the only one there is, or leaves the choice open. */
function decide(draft: Draft, choice: Choice, work: Work & { readonly fold: FoldPart }): void {
  if (work.seen.has(choice.id)) return;
  work.seen.add(choice.id);
  const decided = work.decisions.get(choice.id) ?? (choice.options.length === 1 ? 0 : undefined);
  const option = decided === undefined ? undefined : readOption(choice, decided);
  if (option === undefined) {
    if (choice.options.length === 0) draft.impossible ??= `no option at ${choice.id}`;
    else draft.choices.push(choice);
    return;
  }
  draft.free = false;
  for (const part of option.add) work.fold(draft, part, work);
  draft.forbidden.push(...option.forbid);
  if (option.preset !== undefined) draft.presets.set(...option.preset);
}

/** The keywords of one schema that can be satisfied in more than one way. */
function readChoices(schema: SchemaObject, part: Part, follow: Expander['follow']): readonly Choice[] {
  const { pointer } = part;
  const choices: Choice[] = [];
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = schema[keyword];
    if (!Array.isArray(branches) || branches.length === 0) continue;
    const options = branches.map((branch: Schema, i): Option => {
      const one = { schema: branch, pointer: `${pointer}/${keyword}/${i}` };
      const preset = readDiscriminator(schema, branch, follow);
      return preset === undefined ? { add: [one], forbid: [] } : { add: [one], forbid: [], preset };
    });
    const isExact = keyword === 'oneOf' && options.length > 1;
    choices.push({ id: `?${pointer}/${keyword}`, keyword, options, isExact });
  }
  if (schema.not !== undefined) {
    const options = [{ add: [], forbid: [{ schema: schema.not, pointer: `${pointer}/not` }] }];
    choices.push({ id: `?${pointer}/not`, keyword: 'not', options, isExact: false });
  }
  if (schema.if !== undefined && (schema.then !== undefined || schema.else !== undefined)) {
    const condition = { schema: schema.if, pointer: `${pointer}/if` };
    const then = schema.then === undefined ? [] : [{ schema: schema.then, pointer: `${pointer}/then` }];
    const otherwise = schema.else === undefined ? [] : [{ schema: schema.else, pointer: `${pointer}/else` }];
    const options = [
      { add: [condition, ...then], forbid: [] },
      { add: otherwise, forbid: [condition] },
    ];
    choices.push({ id: `?${pointer}/if`, keyword: 'if', options, isExact: false });
  }
  return choices;
}

/** The option of a number; numbers past the last one mean the same options with the opposite of all the others. */
function readOption({ options, isExact }: Choice, index: number): Option | undefined {
  const own = options[index % options.length];
  if (index < options.length || own === undefined) return options[index];
  if (!isExact) return undefined;
  const others = options.filter((option) => option !== own);
  return { ...own, forbid: others.flatMap(({ add }) => add) };
}

/** What tells one shape from another: the parts it is folded of, and how its choices are made. */
export function readShapeKey(parts: readonly Part[], decisions: Decisions): string {
  let key = '';
  for (const part of parts) key += `${part.pointer}\n`;
  for (const [id, index] of decisions) key += `${id}=${index}\n`;
  return key;
}
