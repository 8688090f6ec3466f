import { isObject, readMember } from '../../../contract/json.js';
import type { Operation, Parameter } from '../../../contract/operations/operation.js';
import { findJsonMedia } from '../../../contract/operations/responses.js';
import type { Answer } from '../../../http/answer.js';
import { isJsonType } from '../../../http/media-type.js';
import type { Call } from '../../../http/request/call.js';
import { createEnvelope, type Envelope } from '../../../state/pages/envelope.js';
import type { ListShape } from '../../../state/pages/list-shape.js';
import {
  createPagePlan,
  isDescending,
  isPageMistake,
  type Page,
  type PagePlan,
  type PageMistake,
  type PageTurn,
} from '../../../state/pages/pagination.js';
import { createView, readFilters, readSearch, readSort } from '../../../state/pages/view.js';
import type { Item } from '../../../state/store/collection.js';
import type { ItemLocation } from '../../../state/store/on-demand.js';
import type { Exchange } from '../../chain.js';
import {
  answerItem,
  type OperationContext,
  refuse,
  type StateContext,
  type StateHandler,
  toAnswer,
  toNoun,
} from './context.js';
import { createListChooser, createRemovedReader } from './removed.js';
import { createItemHandler } from './request.js';

/** Answers with one item. */
export function createReadHandler(context: OperationContext): StateHandler {
  return createItemHandler(
    context,
    (exchange, entry) => answerItem(context, exchange, entry),
    createRemovedReader(context),
  );
}

/** Answers with the content of one item: its bytes, or a JSON string where the contract declares JSON. */
export function createContentHandler(context: OperationContext): StateHandler {
  return createItemHandler(context, ({ call }, { content }) => {
    const choice = context.choose(call);
    if (choice === undefined || content === undefined) return undefined;
    const { bytes, mediaType = 'application/octet-stream' } = content;
    // The contract declares a range: the media type is that of the content.
    if (choice.media?.type.includes('*') === true) return { ...toAnswer(choice, bytes), mediaType };
    const json = choice.mediaType !== undefined && isJsonType(choice.mediaType);
    return toAnswer(choice, json ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : bytes);
  });
}

/** Answers a list from state: one page, in the requested order, with an envelope that matches it. */
export function createListHandler(context: OperationContext): StateHandler | undefined {
  const { binding, choose, findLocation } = context;
  const { operation, list: shape, within } = binding;
  if (shape === undefined) return undefined;
  const { resource, schema } = context.model;
  const asked = withBodyParameters(context, operation);
  const plan = createPagePlan(context.contract, asked, { item: schema, style: binding.page });
  const project = context.bodies.project(shape.itemSchema);
  const idProperty = resource.idProperty ?? 'id';
  const envelope = createEnvelopeReader(context, shape);
  const chooseList = createListChooser(context);
  const withRequiredFilters = createRequiredFilters(asked, plan);
  const linked = declaresLinks(operation) || (shape.path.length === 0 && plan.style.name !== 'none');

  return (exchange, transaction) => {
    const { call } = exchange;
    const input = call.method === 'POST' && isObject(call.body) ? { ...call.query, ...call.body } : call.query;
    const choice = choose(call);
    const location = findLocation(exchange, transaction);
    if ('missing' in location) return location.missing;
    if (choice === undefined) return undefined;
    context.items.seed(withRequiredFilters(location, input));
    const list = chooseList(location.collection.list(location.scope), call);
    const property = within?.property;
    const isPart = within !== undefined && property === undefined ? createPartFilter(location) : undefined;
    const parent = property === undefined ? undefined : { [property]: call.path[within?.parameter ?? ''] };
    const view = createView(list, {
      descending: readDescending(plan, input),
      keep: both(isPart, both(readFilters(plan.filters, input, parent), readSearch(input[plan.search ?? '']))),
      order: readSort(input[plan.sort ?? ''], schema),
    });
    const limit = readLimit(plan, input);
    const page = plan.style.cut({
      view,
      limit,
      firstPage: plan.firstPage,
      value: (role) => input[plan.names[role] ?? ''],
      recall: (id) => list.recall(id),
    });
    if (isPageMistake(page)) return answerInvalidCursor(context, exchange, { plan, mistake: page });
    const entries = view.slice(page.from, page.to);
    const url = (turn: PageTurn | 'first' | undefined, absolute: boolean): string =>
      toUrl(call, plan, { turn, absolute });
    const body = envelope(exchange)({
      page,
      total: view.size,
      limit,
      firstPage: plan.firstPage,
      entries,
      items: entries.map((entry) => project(entry, exchange)),
      id: (entry) => readMember(entry.item, idProperty) ?? entry.id,
      url,
    });
    return toAnswer(choice, body, linked ? toLinkHeader(page, url) : {});
  };
}

function declaresLinks({ responses }: Operation): boolean {
  return responses.some(({ headers }) => headers.some(({ name }) => /^link$/i.test(name)));
}

/** An operation with the properties of its body as parameters of the query, for a list that is read by POST. */
export function withBodyParameters({ read }: Pick<StateContext, 'read'>, operation: Operation): Operation {
  if (operation.method !== 'POST') return operation;
  const media = findJsonMedia(operation.body?.content ?? []);
  const properties = media === undefined ? [] : [...(read(media.schemaPointer)?.properties.values() ?? [])];
  const added = properties.flatMap((property): readonly Parameter[] => {
    const { name, required, schema, target, pointer } = property;
    if (schema.type === 'object') return [];
    return [{ ...BODY_PARAMETER, name, required, schema, schemaPointer: target, pointer }];
  });
  return { ...operation, parameters: [...operation.parameters, ...added] };
}

const BODY_PARAMETER = {
  in: 'query',
  deprecated: false,
  style: 'form',
  explode: true,
  allowReserved: false,
  allowEmptyValue: false,
  mediaType: undefined,
  description: undefined,
  examples: [],
  extensions: {},
} as const;

/** Adds the required filters of a request to the location, so that the initial items of a list match them. */
function createRequiredFilters(
  { parameters }: Operation,
  { filters }: PagePlan,
): (location: ItemLocation, input: Call['query']) => ItemLocation {
  const required = filters.filter(({ parameter }) =>
    parameters.some((each) => each.in === 'query' && each.required && each.name === parameter),
  );
  if (required.length === 0) return (location) => location;
  return (location, input) => {
    const given = Object.fromEntries(required.map(({ parameter, property }) => [property, input[parameter]]));
    const part = `${location.part}?${JSON.stringify(given)}`;
    return { ...location, known: { ...location.known, ...given }, part };
  };
}

/** A reader of the envelope of a list: what the page does not determine is generated once. */
function createEnvelopeReader(
  { read, validators, generator }: StateContext,
  shape: ListShape,
): (exchange: Exchange) => Envelope {
  const { schema } = shape;
  let envelope: Envelope | undefined;
  return ({ session }) => {
    envelope ??= createEnvelope(shape, read(schema), {
      findWrong: (body) =>
        validators
          .check(schema, 'response')(body, 'body')
          .map(({ pointer }) => pointer.split('/')[1] ?? ''),
      complete: (known) => {
        const { seed, clock } = session;
        const facts = { seed, key: schema, direction: 'response', now: clock.now() } as const;
        // The schema of an envelope describes an object.
        return generator.complete(schema, known, facts) as Item;
      },
    });
    return envelope;
  };
}

type Keep = ReturnType<typeof readFilters>;

function createPartFilter(location: ItemLocation): Keep {
  return ({ part }) => part === location.part;
}

function both(one: Keep, other: Keep): Keep {
  if (one === undefined || other === undefined) return one ?? other;
  return (entry) => one(entry) && other(entry);
}

function readDescending(plan: PagePlan, input: Call['query']): boolean {
  const given = plan.order === undefined ? undefined : input[plan.order];
  return given === undefined ? plan.descending : isDescending(given);
}

function readLimit(plan: PagePlan, input: Call['query']): number {
  const given = input[plan.names.limit ?? ''];
  const limit = typeof given === 'number' ? given : Number(given ?? Number.NaN);
  // Some contracts allow a negative limit: then the default applies.
  const isCount = Number.isFinite(limit) && limit >= 0;
  return Math.min(isCount ? Math.floor(limit) : plan.defaultLimit, plan.maximumLimit);
}

/** The 400 for a cursor that names no item. */
function answerInvalidCursor(
  context: OperationContext,
  exchange: Exchange,
  { plan, mistake }: { readonly plan: PagePlan; readonly mistake: PageMistake },
): Answer {
  const param = plan.names[mistake.role];
  const value = JSON.stringify(mistake.value);
  const problem =
    mistake.role === 'token'
      ? `${value} is not a cursor of this list`
      : `no ${toNoun(context.binding.collection)} has the id ${value}`;
  const message = `query parameter "${param ?? mistake.role}": ${problem}`;
  return refuse(context, exchange, { status: 400, message, code: 'invalid_value', param });
}

/** The URL of a list at another position. */
function toUrl(
  call: Call,
  plan: PagePlan,
  to: { readonly turn: PageTurn | 'first' | undefined; readonly absolute: boolean },
): string {
  const [path = '', query = ''] = call.url.split('?');
  const origin = to.absolute ? `http://${call.headers.get('host') ?? 'localhost'}` : '';
  if (to.turn === undefined) return origin + call.url;
  const parameters = new URLSearchParams(query);
  for (const role of ['after', 'before', 'token', 'page', 'offset'] as const) {
    const name = plan.names[role];
    if (name !== undefined) parameters.delete(name);
  }
  if (to.turn !== 'first') parameters.set(plan.names[to.turn.role] ?? to.turn.role, String(to.turn.value));
  return `${origin}${path}${parameters.size === 0 ? '' : `?${parameters.toString()}`}`;
}

/** RFC 8288: links to the previous and the next page. */
function toLinkHeader(
  { previous, next }: Pick<Page, 'next' | 'previous'>,
  url: (turn: PageTurn, absolute: boolean) => string,
): Answer['headers'] {
  const links: string[] = [];
  if (previous !== undefined) links.push(`<${url(previous, true)}>; rel="prev"`);
  if (next !== undefined) links.push(`<${url(next, true)}>; rel="next"`);
  return links.length === 0 ? {} : { link: links.join(', ') };
}
