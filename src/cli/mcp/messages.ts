import { MockError, toReason } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { closedObject } from '../../base/json-schema.js';
import { host } from '../../base/platform.js';
import { readVersion } from '../../base/package-folder.js';
import { checkArguments, type Tool } from './tools.js';

/** The versions of the Model Context Protocol whose messages are understood, newest first. */
const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** Codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_UNKNOWN = -32_601;
const PARAMS_INVALID = -32_602;
const INTERNAL_ERROR = -32_603;
/** The first code that JSON-RPC leaves to servers: a tool failed for a reason that is in `data`. */
const TOOL_FAILED = -32_000;

/** What a client calls tools with. */
export interface ToolServer {
  readonly tools: Readonly<Record<string, Tool>>;
  readonly call: (tool: Tool, given: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

/** Answers the messages of a stream one after the other, one line each, until it ends. */
export async function answerMessages(
  input: AsyncIterable<Uint8Array>,
  server: ToolServer,
  write: (line: string) => void,
): Promise<void> {
  for await (const line of readLines(input)) {
    if (line.trim() === '') continue;
    const answer = await answerLine(line, server);
    if (answer !== undefined) write(JSON.stringify(answer));
  }
}

/** Lines end with a line feed only: JSON may contain U+2028, at which `readline` splits. */
async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new host.TextDecoder();
  let parts: string[] = [];
  for await (const chunk of input) {
    const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
    parts.push(first);
    for (const next of more) {
      yield parts.join('');
      parts = [next];
    }
  }
  yield parts.join('') + decoder.decode();
}

/** Answers one message, or several of version 2025-03-26 in an array; undefined where none of them expects an answer. */
async function answerLine(line: string, server: ToolServer): Promise<unknown> {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch (error) {
    return toFailure(null, { code: PARSE_ERROR, message: `the message is not valid JSON: ${toReason(error)}` });
  }
  if (!Array.isArray(message) || message.length === 0) return answerMessage(message, server);
  const answers: object[] = [];
  for (const each of message) {
    const answer = await answerMessage(each, server);
    if (answer !== undefined) answers.push(answer);
  }
  return answers.length === 0 ? undefined : answers;
}

async function answerMessage(message: unknown, server: ToolServer): Promise<object | undefined> {
  if (!isObject(message)) return toFailure(null, { code: INVALID_REQUEST, message: 'a message must be an object' });
  const { id, method, params = {} } = message;
  // An answer of the client: this server asks nothing.
  if (method === undefined && ('result' in message || 'error' in message)) return undefined;
  const isId = typeof id === 'string' || typeof id === 'number';
  if (message['jsonrpc'] !== '2.0' || typeof method !== 'string' || !(isId || id === undefined)) {
    const rule = 'a request must have "jsonrpc": "2.0", a "method", and a string or number as "id"';
    return toFailure(isId ? id : null, { code: INVALID_REQUEST, message: rule });
  }
  // A notification gets no answer.
  if (!isId) return undefined;
  if (!isObject(params)) return toFailure(id, { code: PARAMS_INVALID, message: '"params" must be an object' });
  try {
    const answer = METHODS.get(method);
    if (answer !== undefined) return { jsonrpc: '2.0', id, result: await answer(params, server) };
    const hint = `the methods are ${[...METHODS.keys()].join(', ')}`;
    const rule = `there is no method ${JSON.stringify(method)}`;
    return toFailure(id, { code: METHOD_UNKNOWN, message: rule, data: { hint } });
  } catch (error) {
    return toFailure(id, readFailure(error));
  }
}

/** The member `error` of an answer. */
interface Failure {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

function readFailure(error: unknown): Failure {
  if (!(error instanceof MockError)) return { code: INTERNAL_ERROR, message: toReason(error) };
  const { code, reason, hint, message } = error;
  return { code: code === 'OPTION_INVALID' ? PARAMS_INVALID : TOOL_FAILED, message, data: { code, reason, hint } };
}

type Params = Readonly<Record<string, unknown>>;
type Method = (params: Params, server: ToolServer) => unknown;

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['initialize', ({ protocolVersion }) => initialize(protocolVersion)],
  ['ping', () => ({})],
  ['tools/list', (_, { tools }) => ({ tools: Object.entries(tools).map(describeTool) })],
  ['tools/call', callTool],
]);

/** Agrees on the version of the client, or offers the newest one. */
function initialize(requested: unknown): object {
  const [newest] = PROTOCOL_VERSIONS;
  return {
    protocolVersion: PROTOCOL_VERSIONS.find((version) => version === requested) ?? newest,
    capabilities: { tools: {} },
    serverInfo: { name: 'vouch', version: readVersion() },
    instructions:
      'A mock of an HTTP API. Begin with list_operations: it has the address of the mock and its operations. After a request that went wrong, use explain_answer.',
  };
}

function describeTool([name, { description, parameters, needs = [], isReadOnly }]: readonly [string, Tool]): object {
  const inputSchema = closedObject(parameters, { required: needs });
  return { name, description, inputSchema, annotations: { readOnlyHint: isReadOnly === true } };
}

async function callTool({ name, arguments: given = {} }: Params, { tools, call }: ToolServer): Promise<object> {
  const result = await call(...checkArguments(tools, name, given));
  return { content: [{ type: 'text', text: JSON.stringify(result, undefined, 1) }] };
}

function toFailure(id: unknown, error: Failure): object {
  return { jsonrpc: '2.0', id, error };
}
