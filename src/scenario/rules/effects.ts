import type { Answer } from '../../http/answer.js';
import { mergePatch } from '../../http/merge-patch.js';
import { type ExpressionScope, resolveExpressions } from './expression.js';
import type { Changes, CollectionChanges, Patch, Rule } from './rule.js';
import type { ScenarioState } from './scenario-state.js';

/** Makes the changes of one collection; their expressions are evaluated already. */
export type ChangeCollection = (changes: CollectionChanges) => void;

/** What changes are applied to. */
export interface ChangeTarget {
  readonly state: ScenarioState;
  readonly changeCollection: ChangeCollection;
}

/** Applies the changes of `state` or `then`, collections first. @param scope - Undefined: expressions stay as they are. */
export function applyChanges(changes: Changes, target: ChangeTarget, scope: ExpressionScope | undefined): void {
  const resolve = (value: unknown): unknown => (scope === undefined ? value : resolveExpressions(value, scope));
  for (const change of changes.collections) target.changeCollection(resolveChange(change, resolve));
  // An object stays an object.
  target.state.setVars(resolve(changes.vars) as Readonly<Record<string, unknown>>);
}

function resolveChange(change: CollectionChanges, resolve: (value: unknown) => unknown): CollectionChanges {
  return {
    ...change,
    // Arrays stay arrays and objects stay objects; items whose expression has no value are omitted.
    add: resolve(change.add) as readonly unknown[],
    update: resolve(change.update) as Readonly<Record<string, unknown>>,
    remove: resolve(change.remove) as readonly unknown[],
  };
}

/** Applies a merge patch (RFC 7386) to an answer; a body of bytes or a stream stays as it is. */
export function patchAnswer(
  answer: Answer,
  { rule, patch }: { readonly rule: Rule; readonly patch: Patch },
  scope: ExpressionScope,
): Answer {
  const headers = { ...answer.headers };
  for (const [name, value] of Object.entries(patch.headers)) {
    if (value === null) delete headers[name];
    else headers[name] = value;
  }
  const isJson =
    answer.body === undefined || typeof answer.body !== 'object' || answer.body === null || isPlain(answer.body);
  const body =
    patch.body === undefined || !isJson ? answer.body : mergePatch(answer.body, resolveExpressions(patch.body, scope));
  return {
    ...answer,
    status: patch.status ?? answer.status,
    headers,
    body,
    from: `scenario:${rule.scenario}`,
    deviates: rule.violates ?? answer.deviates,
  };
}

function isPlain(value: object): boolean {
  return (
    Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null
  );
}
