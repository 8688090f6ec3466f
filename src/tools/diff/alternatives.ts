import { isEqualJson } from '../../base/json.js';
import type { Constraints, ConstraintsReader, SchemaCase } from '../../contract/schema-view/constraints.js';

interface Cases {
  readonly old: readonly SchemaCase[];
  readonly now: readonly SchemaCase[];
}

interface Paired {
  readonly pairs: readonly (readonly [old: SchemaCase, now: SchemaCase])[];
  /** The alternatives of the old document that no alternative of the new one continues. */
  readonly removed: readonly SchemaCase[];
  readonly added: readonly SchemaCase[];
}

type Rule = (old: SchemaCase, now: SchemaCase) => boolean;

/** Finds for each alternative of a union the one that continues it: by its name, its tag, its schema, or what it looks like. */
export function pairCases(
  { old, now }: Cases,
  readers: { readonly old: ConstraintsReader; readonly now: ConstraintsReader },
  isSame: Rule,
): Paired {
  const tags = { old: readTags(old, readers.old), now: readTags(now, readers.now) };
  const tagOf = (one: SchemaCase, other: SchemaCase): readonly [string | undefined, string | undefined] => [
    tags.old.get(one),
    tags.now.get(other),
  ];
  const constraintsOf = (one: SchemaCase, other: SchemaCase): readonly [Constraints, Constraints] => [
    readers.old.constraints(one),
    readers.now.constraints(other),
  ];
  const rules: readonly Rule[] = [
    (one, other) => one.name !== '' && one.name === other.name,
    (one, other) => {
      const [tag, otherTag] = tagOf(one, other);
      return tag !== undefined && tag === otherTag;
    },
    (one, other) => hasSameTypes(...constraintsOf(one, other)) && isSame(one, other),
    (one, other) => {
      const [tag, otherTag] = tagOf(one, other);
      return (tag === undefined || otherTag === undefined) && isAlike(...constraintsOf(one, other));
    },
  ];
  let left: Paired = { pairs: [], removed: old, added: now };
  for (const rule of rules) left = applyRule(left, rule);
  return left;
}

function applyRule({ pairs, removed, added }: Paired, rule: Rule): Paired {
  const found: (readonly [SchemaCase, SchemaCase])[] = [];
  const others = [...added];
  const rest = removed.filter((one) => {
    const i = others.findIndex((other) => rule(one, other));
    const [other] = i === -1 ? [] : others.splice(i, 1);
    if (other === undefined) return true;
    found.push([one, other]);
    return false;
  });
  return { pairs: [...pairs, ...found], removed: rest, added: others };
}

function hasSameTypes({ types }: Constraints, { types: others }: Constraints): boolean {
  return types.size === others.size && [...types].every((type) => others.has(type));
}

/** Whether two alternatives have the same type, and, if they are objects, at least half of their members in common. */
function isAlike(one: Constraints, other: Constraints): boolean {
  if (!hasSameTypes(one, other)) return false;
  if (one.values !== undefined && other.values !== undefined)
    return one.values.some((value) => other.values?.some((each) => isEqualJson(each, value)) === true);
  const names = new Set([...one.members.keys(), ...other.members.keys()]);
  const shared = [...names].filter((name) => one.members.has(name) && other.members.has(name));
  return shared.length * 2 >= names.size;
}

/** The values of the members that have one value in each alternative, and another one in each other. */
function readTags(cases: readonly SchemaCase[], reader: ConstraintsReader): ReadonlyMap<SchemaCase, string> {
  const tags = new Map<SchemaCase, string>();
  for (const chosen of cases) {
    const { members } = reader.constraints(chosen);
    const constants = [...members].flatMap(([name, pointers]) => {
      const [own, ...others] = reader.cases(pointers);
      const values = own === undefined || others.length > 0 ? undefined : reader.constraints(own).values;
      return values?.length === 1 ? [`${name}=${JSON.stringify(values[0])}`] : [];
    });
    if (constants.length > 0) tags.set(chosen, constants.toSorted().join(' '));
  }
  return tags;
}
