import type { Report } from '../contract.js';
import { findObject, type Located, readExtensions, readString } from '../pointer.js';
import { readParameterNames } from '../router/path-template.js';
import { readValue } from './content.js';
import type { Parameter, ParameterPlace, ParameterStyle } from './operation.js';

/** The pointer of a schema that accepts any string. */
const TEXT_POINTER = '/x-vouch/text';

interface ParameterSource {
  readonly document: unknown;
  /** The path key. */
  readonly path: string;
  readonly pathItem: Located;
  readonly operation: Located;
  readonly report: Report;
}

/** The styles of each place, the default first (OpenAPI 3.1 section 4.8.12.3, and `cookie` of 3.2). */
const STYLES: Readonly<Record<ParameterPlace, readonly [ParameterStyle, ...ParameterStyle[]]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
  querystring: ['form'],
};

/** Whether a string can be the name of a header (RFC 9110 section 5.1). */
export function isToken(name: string): boolean {
  return /^[!#$%&'*+.^`|~\w-]+$/.test(name);
}

/** OpenAPI 3.1 section 4.8.12.2.1: header parameters with these names are ignored. */
const IGNORED_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/**
 * The parameters of an operation: those of its path item, overridden by its own with the same name and `in` (OpenAPI 3.1 section 4.8.9), and
 * one for each parameter of the path template that is not declared.
 */
export function readParameters(source: ParameterSource): readonly Parameter[] {
  const byKey = new Map<string, Parameter>();
  for (const parent of [source.pathItem, source.operation]) {
    const list = parent.value['parameters'];
    if (!Array.isArray(list)) continue;
    list.forEach((value: unknown, index) => {
      const pointer = `${parent.pointer}/parameters/${index}`;
      const found = findObject(source.document, value, pointer);
      const parameter = found === undefined ? undefined : readParameter(source, found, pointer);
      if (parameter !== undefined) byKey.set(`${parameter.in} ${parameter.name}`, parameter);
    });
  }
  return checkPathParameters(source, [...byKey.values()]);
}

function readParameter(source: ParameterSource, found: Located, pointer: string): Parameter | undefined {
  const name = readString(found.value['name']);
  const place = found.value['in'];
  if (name === undefined || name === '' || !isPlace(place)) {
    const isNamed = name !== undefined && name !== '';
    const what = isNamed ? `has the invalid "in" ${JSON.stringify(place) ?? 'undefined'}` : 'has no name';
    const message = `a parameter ${what}`;
    source.report({ code: 'PARAMETER_INVALID', severity: 'error', message, pointer, assumed: 'it is ignored' });
    return undefined;
  }
  if (place === 'header' && !isToken(name)) {
    const message = `the name ${JSON.stringify(name)} of a header parameter is not valid in HTTP`;
    source.report({ code: 'PARAMETER_INVALID', severity: 'error', message, pointer, assumed: 'it is ignored' });
    return undefined;
  }
  if (place === 'header' && IGNORED_HEADERS.has(name.toLowerCase())) return undefined;
  return readValid(source.document, found, { name, in: place });
}

function readValid(document: unknown, found: Located, { name, in: place }: Pick<Parameter, 'in' | 'name'>): Parameter {
  const { value } = found;
  const { mediaType, declared } = readValue(document, found);
  const style = STYLES[place].find((style) => style === value['style']) ?? STYLES[place][0];
  return {
    name,
    in: place,
    required: place === 'path' || value['required'] === true,
    deprecated: value['deprecated'] === true,
    style,
    explode: typeof value['explode'] === 'boolean' ? value['explode'] : style === 'form' || style === 'cookie',
    allowReserved: value['allowReserved'] === true,
    allowEmptyValue: value['allowEmptyValue'] === true,
    ...declared,
    mediaType,
    description: readString(value['description']),
    extensions: readExtensions(value),
  };
}

function isPlace(value: unknown): value is ParameterPlace {
  return typeof value === 'string' && Object.hasOwn(STYLES, value);
}

/** Reports where the path template and the declared path parameters differ. */
function checkPathParameters(source: ParameterSource, declared: readonly Parameter[]): readonly Parameter[] {
  const names = new Set(readParameterNames(source.path));
  const { pointer } = source.operation;
  const parameters = declared.filter((parameter) => {
    if (parameter.in !== 'path' || names.has(parameter.name)) return true;
    const { name, pointer } = parameter;
    const message = `path parameter "${name}" is declared, but the path "${source.path}" has no {${name}}`;
    source.report({ code: 'PATH_PARAMETER_UNUSED', message, pointer, assumed: 'it is ignored' });
    return false;
  });
  const missing = [...names].filter((name) => !parameters.some((one) => one.in === 'path' && one.name === name));
  for (const name of missing) {
    const message = `the path "${source.path}" has {${name}}, but no parameter declares it`;
    source.report({ code: 'PATH_PARAMETER_MISSING', message, pointer, assumed: 'it accepts any string' });
  }
  return [...parameters, ...missing.map((name) => createTextParameter(name, pointer))];
}

function createTextParameter(name: string, pointer: string): Parameter {
  const declared = { value: { schema: { type: 'string' } }, pointer };
  return { ...readValid(undefined, declared, { name, in: 'path' }), schemaPointer: TEXT_POINTER };
}
