import { URL } from 'node:url';
import { MockError, suggest } from '../../base/errors.js';
import { isObject, readJsonType, readOwn } from '../../base/json.js';
import { host } from '../../base/platform.js';
import { type ControlFlags, requestControl } from '../control-client.js';

type Arguments = Readonly<Record<string, unknown>>;

/** A tool of `vouch mcp`. */
export interface Tool {
  readonly description: string;
  /** The JSON Schema of each argument. */
  readonly parameters: Readonly<Record<string, { readonly type: string; readonly description: string }>>;
  readonly needs?: readonly string[];
  /** Whether it changes nothing in the mock. */
  readonly isReadOnly?: boolean;
  /** @param flags - Where the mock is, and the session of the call. */
  run(given: Arguments, flags: ControlFlags): Promise<unknown>;
}

const session = { type: 'string', description: 'the session to use; default: "default"' };
const collection = { type: 'string', description: 'a collection of list_operations' };

/** The tools by name. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  list_operations: {
    description: 'Lists the operations and collections of the mocked API, and the address of the mock.',
    parameters: {
      search: { type: 'string', description: 'only operations whose id, method, path or summary contains this text' },
      limit: { type: 'integer', description: 'maximum number of operations; default 100' },
    },
    isReadOnly: true,
    run: listOperations,
  },
  send_request: {
    description: 'Sends a request to the mocked API and returns the answer.',
    parameters: {
      method: { type: 'string', description: 'default GET' },
      path: { type: 'string', description: 'path with query, such as /pets?limit=2' },
      headers: { type: 'object', description: 'header fields' },
      body: { type: 'string', description: 'the body; for JSON its text, with the header content-type' },
      session,
    },
    needs: ['path'],
    run: sendRequest,
  },
  explain_answer: {
    description:
      'Explains the last answer of the mock, or the one with a number: violations of the contract and the trace.',
    parameters: {
      number: { type: 'integer', description: 'number of the interaction; default: the last one' },
      session,
    },
    isReadOnly: true,
    run: explainAnswer,
  },
  write_scenario: {
    description:
      'Checks a scenario against the contract, uploads it and activates it. The format is that of scenario files, such as {"operations": {"listPets": {"respond": {"status": 503}}}}. A mistake changes nothing.',
    parameters: {
      id: { type: 'string', description: 'name of the scenario; one with the same name is replaced' },
      scenario: { type: 'object', description: 'the scenario' },
      activate: { type: 'boolean', description: 'false only uploads it; default true' },
      session,
    },
    needs: ['id', 'scenario'],
    run: writeScenario,
  },
  show_state: {
    description: 'Shows the items of all collections, or of one.',
    parameters: { collection, session },
    isReadOnly: true,
    run: ({ collection: name }, flags) =>
      requestControl(flags, `/state${name === undefined ? '' : `/${encode(name)}`}`),
  },
  change_state: {
    description: 'Adds an item to a collection, or replaces all its items. Items are checked against the contract.',
    parameters: {
      collection,
      add: { type: 'object', description: 'an item; missing properties are generated' },
      replace: { type: 'array', description: 'all items; [] empties the collection' },
      session,
    },
    needs: ['collection'],
    run: changeState,
  },
  reset: {
    description: 'Returns a session to its start: items, clock, active scenarios and journal.',
    parameters: { session },
    run: (_, flags) => requestControl(flags, '/reset', { method: 'POST', body: { what: 'all' } }),
  },
  verify: {
    description:
      'Lists every violation of the contract by the client, and every rule of an active scenario that no request met.',
    parameters: { session },
    isReadOnly: true,
    run: (_, flags) => requestControl(flags, '/journal/verification'),
  },
};

/** Finds a tool and checks what it is called with. @throws MockError `OPTION_INVALID`. */
export function checkArguments(
  tools: Readonly<Record<string, Tool>>,
  name: unknown,
  given: unknown,
): readonly [Tool, Arguments] {
  const tool = typeof name === 'string' ? readOwn(tools, name) : undefined;
  if (tool === undefined) throw invalid(`there is no tool ${JSON.stringify(name)}`, suggestName(name, tools));
  if (!isObject(given)) throw invalid('"arguments" must be an object');
  const { parameters, needs = [] } = tool;
  for (const [key, value] of Object.entries(given)) {
    const type = readOwn(parameters, key)?.type;
    if (type === undefined) {
      throw invalid(`the tool "${String(name)}" has no argument ${JSON.stringify(key)}`, suggestName(key, parameters));
    }
    if (readJsonType(value) === type || (type === 'integer' && Number.isSafeInteger(value))) continue;
    throw invalid(`the argument "${key}" must be of type ${type}, got ${readJsonType(value)}`);
  }
  const missing = needs.find((key) => given[key] === undefined);
  if (missing !== undefined) throw invalid(`the argument "${missing}" is required`);
  return [tool, given];
}

function invalid(reason: string, hint?: string): MockError {
  return new MockError('OPTION_INVALID', reason, hint === undefined ? {} : { hint });
}

function suggestName(given: unknown, known: object): string {
  const names = Object.keys(known);
  return suggest(String(given), names) ?? `use ${names.join(', ')}`;
}

/** A string as one segment of a path. */
function encode(name: unknown): string {
  return encodeURIComponent(String(name));
}

async function listOperations({ search, limit = 100 }: Arguments, flags: ControlFlags): Promise<unknown> {
  const { title, version, collections, operations } = await requestControl(flags, '/contract');
  const wanted = typeof search === 'string' ? search.toLowerCase() : '';
  const found = (Array.isArray(operations) ? operations.filter(isObject) : []).filter((operation) => {
    const { id, method, path, summary = '' } = operation;
    return [id, `${String(method)} ${String(path)}`, summary].join('\n').toLowerCase().includes(wanted);
  });
  const shown = found.slice(0, Math.max(0, Number(limit)));
  return { title, version, url: flags.url, collections, total: found.length, operations: shown };
}

async function sendRequest({ method, path, headers, body }: Arguments, flags: ControlFlags): Promise<unknown> {
  const base = new URL(flags.url);
  const url = new URL(String(path), base);
  // Also `//example.com/x` names another server.
  if (url.origin !== base.origin) throw invalid('the argument "path" must be a path of the mock, such as /pets');
  const init = { method: typeof method === 'string' ? method : 'GET', redirect: 'manual' as const };
  let request: Request;
  try {
    const given = new host.Headers(isObject(headers) ? mapToText(headers) : {});
    if (flags.session !== undefined) given.set('x-mock-session', flags.session);
    request = new host.Request(url, { ...init, headers: given, ...(typeof body === 'string' && { body }) });
  } catch (error) {
    throw invalid(`the request cannot be sent: ${(error as Error).message}`);
  }
  const response = await fetch(request).catch((cause: unknown) => {
    throw new MockError('STATE_UNREADABLE', `the mock at ${base.origin} sent no answer`, {
      hint: 'explain_answer says whether a scenario breaks connections',
      cause,
    });
  });
  const text = await response.text();
  const { status } = response;
  return { status, headers: Object.fromEntries(response.headers), body: text };
}

function mapToText(headers: Arguments): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name, String(value)]);
}

async function explainAnswer({ number }: Arguments, flags: ControlFlags): Promise<unknown> {
  return requestControl(flags, `/journal/${encode(number ?? (await findLast(flags)))}`);
}

/** The number of the last interaction of a session. @throws MockError `INTERACTION_UNKNOWN`. */
async function findLast(flags: ControlFlags): Promise<unknown> {
  const { interactions } = await requestControl(flags, '/journal?limit=1');
  const last: unknown = Array.isArray(interactions) ? interactions[0] : undefined;
  if (isObject(last)) return last['number'];
  throw new MockError('INTERACTION_UNKNOWN', `session "${flags.session ?? 'default'}" received no request yet`, {
    hint: 'send one with send_request, or name the session of the client',
  });
}

async function writeScenario({ id, scenario, activate = true }: Arguments, flags: ControlFlags): Promise<unknown> {
  const path = `/scenarios/${encode(id)}`;
  const uploaded = await requestControl(flags, path, { method: 'PUT', body: scenario });
  return activate === true ? requestControl(flags, `${path}/activate`, { method: 'POST' }) : uploaded;
}

async function changeState({ collection: name, add, replace }: Arguments, flags: ControlFlags): Promise<unknown> {
  if ((add === undefined) === (replace === undefined)) throw invalid('give one of the arguments "add" and "replace"');
  const sent = add === undefined ? { method: 'PUT', body: replace } : { method: 'POST', body: add };
  return requestControl(flags, `/state/${encode(name)}`, sent);
}
