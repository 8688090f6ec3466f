import { isObject, setOwn } from '../contract/json.js';

/** RFC 7386 section 2: objects are merged member by member, `null` removes a member, anything else takes the place of what was there. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else setOwn(merged, name, mergePatch(Object.hasOwn(merged, name) ? merged[name] : undefined, value));
  }
  return merged;
}
