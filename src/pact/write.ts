import { createHash } from 'node:crypto';
import { mapValues } from '../contract/json.js';

/** An interaction in the form that both versions are written from; header values and query values are arrays. */
export interface PactInteraction {
  readonly operation: string;
  /** Ids of scenarios. */
  readonly states: readonly string[];
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query: Lists;
    readonly headers: Lists;
    readonly body: PactBody | undefined;
    readonly rules: MatchingRules;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Lists;
    readonly body: PactBody | undefined;
    readonly rules: MatchingRules;
  };
}

/** Values by name. */
export type Lists = Readonly<Record<string, readonly string[]>>;

/** A body: a JSON value or a string. */
export interface PactBody {
  readonly content: unknown;
  readonly contentType: string;
}

/** How a value is compared: by its type, or with a regular expression. */
export interface Matcher {
  readonly match: 'type' | 'regex';
  readonly min?: number;
  readonly regex?: string;
}

/** Matchers by JSON path, or by the name of a header. */
export interface MatchingRules {
  readonly header: Readonly<Record<string, Matcher>>;
  readonly body: Readonly<Record<string, Matcher>>;
}

/** An interaction whose description is unique, which the specification requires. */
interface NamedInteraction extends PactInteraction {
  readonly description: string;
}

/** Describes each interaction, with a number where several have the same operation and status. */
export function nameInteractions(interactions: readonly PactInteraction[]): readonly NamedInteraction[] {
  const counts = new Map<string, number>();
  return interactions.map((interaction) => {
    const name = `${interaction.operation} answers ${interaction.response.status}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { ...interaction, description: count === 1 ? name : `${name} (${count})` };
  });
}

/** An interaction of version 3: header values are strings. */
export function toVersion3(interaction: NamedInteraction): Readonly<Record<string, unknown>> {
  const { description, states } = interaction;
  const content = writeContent(interaction, {
    headers: (headers) => mapValues(headers, (values) => values.join(', ')),
    body: (body) => body.content,
  });
  return { description, ...writeStates(states), ...content };
}

/** An interaction of version 4: header values are arrays, and bodies have a content type. */
export function toVersion4(interaction: NamedInteraction): Readonly<Record<string, unknown>> {
  const { description, states } = interaction;
  const content = writeContent(interaction, {
    headers: (headers) => headers,
    body: (body) => ({ ...body, encoded: false }),
  });
  const key = createHash('sha256')
    .update(JSON.stringify([description, content]))
    .digest('hex')
    .slice(0, 16);
  return { type: 'Synchronous/HTTP', key, description, pending: false, ...writeStates(states), ...content };
}

/** How a version writes the parts of a message. */
interface MessageForm {
  readonly headers: (headers: Lists) => object;
  readonly body: (body: PactBody) => unknown;
}

function writeContent({ request, response }: PactInteraction, form: MessageForm): object {
  const { method, path, query } = request;
  const writeMessage = ({ headers, body, rules }: PactInteraction['request' | 'response']): object => ({
    ...unlessEmpty('headers', form.headers(headers)),
    ...(body === undefined ? {} : { body: form.body(body) }),
    ...writeRules(rules),
  });
  return {
    request: { method, path, ...unlessEmpty('query', query), ...writeMessage(request) },
    response: { status: response.status, ...writeMessage(response) },
  };
}

function writeStates(states: readonly string[]): object {
  return states.length === 0 ? {} : { providerStates: states.map((name) => ({ name })) };
}

function unlessEmpty(name: string, members: object): object {
  return Object.keys(members).length === 0 ? {} : { [name]: members };
}

function writeRules({ header, body }: MatchingRules): object {
  const write = (matchers: Readonly<Record<string, Matcher>>): object =>
    mapValues(matchers, (matcher) => ({ matchers: [matcher], combine: 'AND' }));
  return unlessEmpty('matchingRules', { ...unlessEmpty('header', write(header)), ...unlessEmpty('body', write(body)) });
}
