import type { Contract, Operation, Parameter, Schema, SchemaObject } from 'vouch';

/** A request as plain data. */
export interface PlainCall {
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One request for each operation, with what it requires; the GET operations first, those that remove items last. */
export function listCalls(contract: Contract): readonly PlainCall[] {
  const calls = contract.operations.map((operation) => toCall(contract, operation));
  const rank = ({ method }: PlainCall): number => (method === 'GET' ? 0 : method === 'DELETE' ? 2 : 1);
  return calls.toSorted((one, other) => rank(one) - rank(other));
}

function toCall(contract: Contract, operation: Operation): PlainCall {
  const { id, method, path, parameters, body, basePaths } = operation;
  const valueOf = ({ schemaPointer, name }: Parameter): string => {
    const value = makeValue(contract, schemaPointer, 0);
    return encodeURIComponent(value === undefined ? name : toField(value));
  };
  const find = (name: string): Parameter | undefined =>
    parameters.find((parameter) => parameter.in === 'path' && parameter.name === name);
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const parameter = find(name);
    return parameter === undefined ? 'x' : valueOf(parameter);
  });
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map((parameter) => `${encodeURIComponent(parameter.name)}=${valueOf(parameter)}`)
    .join('&');
  const headers: Record<string, string> = { authorization: 'Bearer bench-token' };
  const media = body?.content.find(({ type }) => /[/+]json\b/.test(type)) ?? body?.content[0];
  const url = `http://mock${basePaths[0] ?? ''}${filled}${query === '' ? '' : `?${query}`}`;
  if (media === undefined || body?.required !== true) return { operation: id, method, url, headers };
  headers['content-type'] = media.type.startsWith('multipart/') ? `${media.type}; boundary=bench` : media.type;
  return { operation: id, method, url, headers, body: toBody(media.type, makeValue(contract, media.schemaPointer, 0)) };
}

function toBody(type: string, value: unknown): string {
  if (!/urlencoded|multipart/.test(type) || typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => [name, toField(field)] as const);
  if (type.includes('urlencoded')) return new URLSearchParams(Object.fromEntries(fields)).toString();
  const parts = fields.map(
    ([name, text]) => `--bench\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  );
  return `${parts.join('')}--bench--\r\n`;
}

function toField(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The deepest schema that a value is made for. */
const MAX_DEPTH = 12;

/** A small value of the schema at a pointer: examples, defaults and enumerated values, else what is required. */
function makeValue(contract: Contract, pointer: string, depth: number): unknown {
  const { schema, pointer: at } = contract.resolve(contract.at(pointer) as Schema, pointer);
  if (typeof schema !== 'object' || schema === null || depth > MAX_DEPTH) return 'x';
  const { example, examples, default: preset, enum: allowed } = schema;
  const given = [schema.const, example, preset, allowed?.[0], examples?.[0]].find((value) => value !== undefined);
  if (given !== undefined) return given;
  const below = (path: string): unknown => makeValue(contract, `${at}/${path}`, depth + 1);
  if (schema.oneOf !== undefined) return below('oneOf/0');
  if (schema.anyOf !== undefined) return below('anyOf/0');
  const parts = (schema.allOf ?? []).map((_, i) => below(`allOf/${i}`));
  const [type = schema.properties === undefined ? undefined : 'object'] = [schema.type].flat();
  if (type === 'object' || parts.length > 0) {
    const own = (schema.required ?? []).map((name) => [name, below(`properties/${name}`)] as const);
    return Object.assign({}, ...parts.filter((part) => typeof part === 'object'), Object.fromEntries(own));
  }
  if (type === 'array') return (schema.minItems ?? 0) > 0 ? [below('items')] : [];
  return makeScalar(schema, type);
}

function makeScalar({ format, minimum, minLength }: SchemaObject, type: string | undefined): unknown {
  if (type === 'integer' || type === 'number') return minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (format === 'date-time') return '2026-01-01T00:00:00Z';
  if (format === 'date') return '2026-01-01';
  if (format === 'uuid') return '0b8a3c1e-5a0f-4c1e-9d7f-0f5a3c1e9d7f';
  if (format === 'uri') return 'https://example.com/';
  return 'x1'.padEnd(minLength ?? 0, 'x');
}
