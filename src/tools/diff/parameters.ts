import type { Parameter } from '../../contract/operations/operation.js';
import { readParameterNames } from '../../contract/router/path-template.js';
import type { Change, DiffCode } from './change.js';
import type { CompareValue, OperationChange, OperationPair } from './operation-change.js';
import type { SchemaDiff } from './schemas.js';

/** Compares the parameters of an operation. */
export function compareParameters(
  { old, now }: OperationPair,
  compareValue: CompareValue,
  schemas: SchemaDiff,
): readonly OperationChange[] {
  const [was, is] = [keyParameters(old), keyParameters(now)];
  const isNew = ([key]: readonly [string, Parameter]): boolean => !was.has(key);
  const added = new Map([...is].filter(isNew));
  const kept = [...was].flatMap(([key, parameter]): readonly OperationChange[] => {
    const next = is.get(key);
    if (next !== undefined)
      return [
        ...compareStyle({ old: parameter, now: next }, schemas),
        ...compareParameter({ old: parameter, now: next }, compareValue),
      ];
    const note = (code: DiffCode, text: string, pointer: string): OperationChange => {
      return toChange(parameter, { code, text, old: parameter.pointer, now: pointer });
    };
    const [movedKey, moved] =
      [...added].find(([, { name }]) => name.toLowerCase() === parameter.name.toLowerCase()) ?? [];
    if (movedKey === undefined || moved === undefined)
      return [
        note(parameter.required ? 'PARAMETER_REQUIRED_REMOVED' : 'PARAMETER_REMOVED', 'it was removed', now.pointer),
      ];
    added.delete(movedKey);
    return [note('PARAMETER_MOVED', `it is a ${moved.in} parameter now`, moved.pointer)];
  });
  return [
    ...kept,
    ...[...added.values()].map((parameter) => {
      const code = parameter.required ? 'PARAMETER_REQUIRED' : 'PARAMETER_ADDED';
      const text = parameter.required ? 'it was added and is required' : 'it was added';
      return toChange(parameter, { code, text, old: old.pointer, now: parameter.pointer });
    }),
  ];
}

/** The parameters by what clients call them: those of the path have no name there. */
function keyParameters({ path, parameters }: OperationPair['old']): ReadonlyMap<string, Parameter> {
  const names = readParameterNames(path);
  return new Map(
    parameters.map((parameter) => {
      const { in: place, name } = parameter;
      const own = place === 'path' ? String(names.indexOf(name)) : place === 'header' ? name.toLowerCase() : name;
      return [`${place} ${own}`, parameter];
    }),
  );
}

function toChange({ in: place, name }: Parameter, change: Change): OperationChange {
  return { direction: 'request', where: `${place} parameter "${name}"`, change };
}

function compareParameter(
  { old, now }: { readonly old: Parameter; readonly now: Parameter },
  compareValue: CompareValue,
): readonly OperationChange[] {
  const at = { old: old.pointer, now: now.pointer };
  const changes: Change[] = [];
  if (now.required && !old.required) changes.push({ ...at, code: 'PARAMETER_REQUIRED', text: 'it is required now' });
  if (old.required && !now.required)
    changes.push({ ...at, code: 'PARAMETER_OPTIONAL', text: 'it is no longer required' });
  if (now.deprecated && !old.deprecated) changes.push({ ...at, code: 'DEPRECATED', text: 'it is deprecated now' });
  const { where } = toChange(now, { ...at, code: 'PARAMETER_ADDED', text: '' });
  return [
    ...changes.map((change) => toChange(now, change)),
    ...compareValue(
      {
        old: [old.schemaPointer],
        now: [now.schemaPointer],
        direction: 'request',
        isText: now.mediaType === undefined,
      },
      where,
    ),
  ];
}

const PLAIN = 'plain text';

function compareStyle(
  { old, now }: { readonly old: Parameter; readonly now: Parameter },
  { isScalar }: SchemaDiff,
): readonly OperationChange[] {
  const was = describeStyle(old, isScalar('old', [old.schemaPointer]));
  const is = describeStyle(now, isScalar('now', [now.schemaPointer]));
  // One value in a form is written as an array of one item is.
  const isItem = was === PLAIN && now.style === 'form' && now.mediaType === undefined;
  if (was === is || isItem) return [];
  const text = `it was sent as ${was} and is sent as ${is}`;
  return [toChange(now, { code: 'PARAMETER_STYLE', text, old: old.pointer, now: now.pointer })];
}

/** How a value is written; of scalars only what matters to them. */
function describeStyle({ mediaType, style, explode, in: place }: Parameter, isScalar: boolean): string {
  if (mediaType !== undefined) return mediaType;
  if (!isScalar) return `style ${style}${explode ? ' with' : ' without'} explode`;
  // A scalar is written alike in the styles of a query, a header and a cookie.
  return place === 'path' && style !== 'simple' ? `style ${style}` : PLAIN;
}
