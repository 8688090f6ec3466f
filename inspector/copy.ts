import type { Details } from './api.ts';

type Interaction = Details['interaction'];

/** Fields that a client sets itself. */
const OWN_FIELDS =
  /^(?:accept-encoding|accept-language|connection|content-length|host|sec-.*|te|transfer-encoding|user-agent)$/;

/** The URL of the mock before the path of a request. */
export type Root = string;

function listHeaders({ request }: Interaction): readonly (readonly [string, string])[] {
  return Object.entries(request.headers).filter(([name]) => !OWN_FIELDS.test(name));
}

function writeBody({ request }: Interaction): string | undefined {
  if (request.body === undefined) return undefined;
  return typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The request as a command for a shell. */
export function toCurl(interaction: Interaction, root: Root): string {
  const { method, url } = interaction.request;
  const body = writeBody(interaction);
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(root + url)}`,
    ...listHeaders(interaction).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
  ].join(' \\\n  ');
}

/** The request as a call of `fetch`. */
export function toFetch(interaction: Interaction, root: Root): string {
  const { method, url, body } = interaction.request;
  const headers = Object.fromEntries(listHeaders(interaction));
  const options = [
    `  method: ${JSON.stringify(method)},`,
    `  headers: ${JSON.stringify(headers, undefined, 2).replaceAll('\n', '\n  ')},`,
    ...(body === undefined
      ? []
      : [`  body: ${typeof body === 'string' ? JSON.stringify(body) : `JSON.stringify(${JSON.stringify(body)})`},`]),
  ];
  return `await fetch(${JSON.stringify(root + url)}, {\n${options.join('\n')}\n});`;
}

/** A scenario that answers such a request as it was answered. */
export function toScenario({ operation, request, answer }: Interaction): object {
  const when = {
    ...(Object.keys(request.path).length > 0 && { path: request.path }),
    ...(Object.keys(request.query).length > 0 && { query: request.query }),
    ...(isObject(request.body) && { body: request.body }),
  };
  const respond = { status: answer.status, ...(answer.body !== undefined && { body: answer.body }) };
  const rule = { ...(Object.keys(when).length > 0 && { when }), respond };
  return { description: `${request.method} ${request.url}`, operations: { [operation ?? '*']: [rule] } };
}

/** The items of the body of the answer, as a fixture file has them. */
export function toFixture({ answer }: Interaction): readonly unknown[] {
  const { body } = answer;
  if (Array.isArray(body)) return body;
  if (!isObject(body)) return [];
  const list = Object.values(body).find((value) => Array.isArray(value) && value.length > 0 && value.every(isObject));
  return Array.isArray(list) && !('id' in body) ? list : [body];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
