import type { Report } from '../contract.js';
import { findObject, type Located, readExtensions, readString } from '../pointer.js';
import { readParameterNames } from '../router/path-template.js';
import { ANYTHING_POINTER, readContent, readExamples, readSchema } from './media-type.js';
import type { Parameter, ParameterPlace, ParameterStyle } from './operation.js';

/** The pointer of a schema that accepts any string. */
const TEXT_POINTER = '/x-vouch/text';

/** The source of the parameters of one operation. */
interface ParameterSource {
  readonly document: unknown;
  /** The path key. */
  readonly path: string;
  readonly pathItem: Located;
  readonly operation: Located;
  readonly report: Report;
}

const PLACES: ReadonlySet<unknown> = new Set<ParameterPlace>(['path', 'query', 'header', 'cookie', 'querystring']);

/** The styles of each place, the default first (OpenAPI 3.1 section 4.8.12.3, and `cookie` of 3.2). */
const STYLES: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
  querystring: ['form'],
};

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
  if (name === undefined || name === '' || !PLACES.has(place)) {
    const what =
      name === undefined || name === ''
        ? 'has no name'
        : `has the invalid "in" ${JSON.stringify(place) ?? 'undefined'}`;
    source.report({
      code: 'PARAMETER_INVALID',
      severity: 'error',
      message: `a parameter ${what}`,
      pointer,
      assumed: 'it is ignored',
    });
    return undefined;
  }
  // Checked above.
  const where = place as ParameterPlace;
  if (where === 'header' && IGNORED_HEADERS.has(name.toLowerCase())) return undefined;
  return buildParameter(source.document, found, { name, in: where });
}

function buildParameter(
  document: unknown,
  found: Located,
  key: { readonly name: string; readonly in: ParameterPlace },
): Parameter {
  const { value } = found;
  const own = readSchema(found, 'schema');
  const content = own.schema === undefined ? readContent(document, found)[0] : undefined;
  const style = readStyle(value['style'], key.in);
  return {
    ...key,
    required: key.in === 'path' || value['required'] === true,
    deprecated: value['deprecated'] === true,
    style,
    explode: typeof value['explode'] === 'boolean' ? value['explode'] : style === 'form' || style === 'cookie',
    allowReserved: value['allowReserved'] === true,
    allowEmptyValue: value['allowEmptyValue'] === true,
    schema: own.schema ?? content?.schema ?? {},
    schemaPointer: own.schema === undefined ? readContentPointer(content) : own.pointer,
    mediaType: content?.type,
    description: readString(value['description']),
    examples: [...readExamples(document, found), ...(content?.examples ?? [])],
    pointer: found.pointer,
    extensions: readExtensions(value),
  };
}

function readContentPointer(content: { schema: unknown; schemaPointer: string } | undefined): string {
  return content?.schema === undefined ? ANYTHING_POINTER : content.schemaPointer;
}

function readStyle(value: unknown, place: ParameterPlace): ParameterStyle {
  const known = STYLES[place];
  return known.find((style) => style === value) ?? known[0] ?? 'form';
}

/** Reports where the path template and the declared path parameters differ. */
function checkPathParameters(source: ParameterSource, declared: readonly Parameter[]): readonly Parameter[] {
  const names = new Set(readParameterNames(source.path));
  const { pointer } = source.operation;
  const parameters = declared.filter((parameter) => {
    if (parameter.in !== 'path' || names.has(parameter.name)) return true;
    source.report({
      code: 'PATH_PARAMETER_UNUSED',
      severity: 'warning',
      message: `path parameter "${parameter.name}" is declared, but the path "${source.path}" has no {${parameter.name}}`,
      pointer: parameter.pointer,
      assumed: 'it is ignored',
    });
    return false;
  });
  const missing = [...names].filter((name) => !parameters.some((one) => one.in === 'path' && one.name === name));
  for (const name of missing) {
    source.report({
      code: 'PATH_PARAMETER_MISSING',
      severity: 'warning',
      message: `the path "${source.path}" has {${name}}, but no parameter declares it`,
      pointer,
      assumed: 'it accepts any string',
    });
  }
  return [...parameters, ...missing.map((name) => createTextParameter(name, pointer))];
}

function createTextParameter(name: string, pointer: string): Parameter {
  return {
    name,
    in: 'path',
    required: true,
    deprecated: false,
    style: 'simple',
    explode: false,
    allowReserved: false,
    allowEmptyValue: false,
    schema: { type: 'string' },
    schemaPointer: TEXT_POINTER,
    mediaType: undefined,
    description: undefined,
    examples: [],
    pointer,
    extensions: {},
  };
}
