import type { Operation } from '../../../contract/operations/operation.js';
import type { Answer } from '../../../http/answer.js';
import type { Call } from '../../../http/request/call.js';
import { createEnvelope, type Envelope } from '../../../state/pages/envelope.js';
import type { ListShape } from '../../../state/pages/list-shape.js';
import { createPagePlan, isDescending, type PagePlan } from '../../../state/pages/page-plan.js';
import { isPageMistake, type PageMistake, type PageTurn } from '../../../state/pages/page.js';
import { readFilters, readSearch, readSort } from '../../../state/pages/selection.js';
import type { Binding } from '../../../state/resource.js';
import { createView } from '../../../state/store/view.js';
import type { Exchange } from '../../chain.js';
import { createChoice, createShower, type StateHandler, type StateKit, toAnswer, toWords } from './kit.js';
import { createPlaceFinder, type Place } from './scope.js';
import { seedOpenWorld } from './world.js';

/** Answers a list from state: one page, in the order asked for, with an envelope that tells the truth about it. */
export function createListHandler(kit: StateKit, binding: Binding, shape: ListShape): StateHandler {
  const { operation } = binding;
  const { resource, schema } = kit.kit(binding.collection);
  const plan = createPagePlan(kit.contract, operation, { item: schema, style: binding.page });
  const findPlace = createPlaceFinder(kit, binding);
  const choose = createChoice(operation);
  const show = createShower(kit, resource)(shape.itemSchema);
  const idProperty = resource.idProperty ?? 'id';
  const envelope = createEnvelopeReader(kit, shape);
  const narrow = createNarrowing(operation, plan);
  const linked = declaresLinks(operation) || (shape.items === undefined && plan.style.name !== 'none');

  return (exchange) => {
    const { call } = exchange;
    const choice = choose(call);
    const place = findPlace(exchange);
    if ('missing' in place) return place.missing;
    if (choice === undefined) return undefined;
    seedOpenWorld(kit, exchange, narrow(place, call));
    const list = place.collection.list(place.scope);
    const within =
      binding.within === undefined ? undefined : { [binding.within.property]: call.path[binding.within.parameter] };
    const view = createView(list, {
      descending: readDescending(plan, call),
      keep: both(
        readFilters(plan.filters, call.query, within),
        readSearch(plan.search === undefined ? undefined : call.query[plan.search]),
      ),
      order: readSort(plan.sort === undefined ? undefined : call.query[plan.sort], schema),
    });
    const limit = readLimit(plan, call);
    const page = plan.style.cut({
      view,
      limit,
      value: (role) => call.query[plan.names[role] ?? ''],
      recall: (id) => list.recall(id),
    });
    if (isPageMistake(page)) return answerMistake(kit, exchange, { binding, plan, mistake: page });
    const entries = view.slice(page.from, page.to);
    const url = (turn: PageTurn | undefined, absolute: boolean): string => toUrl(call, plan, { turn, absolute });
    const body = envelope(exchange)({
      page,
      total: view.size,
      limit,
      entries,
      items: entries.map((entry) => show(entry, exchange)),
      id: (entry) => entry.item[idProperty] ?? entry.id,
      url,
    });
    return toAnswer(choice, body, linked ? toLinkHeader(page, url) : {});
  };
}

function declaresLinks({ responses }: Operation): boolean {
  return responses.some(({ headers }) => headers.some(({ name }) => name.toLowerCase() === 'link'));
}

/** Whoever has to say what is looked for finds some of it in an open world: the place with what was asked for as known. */
function createNarrowing({ parameters }: Operation, { filters }: PagePlan): (place: Place, call: Call) => Place {
  const demanded = filters.filter(({ parameter }) =>
    parameters.some(({ name, in: from, required }) => from === 'query' && required && name === parameter),
  );
  if (demanded.length === 0) return (place) => place;
  return (place, call) => {
    const asked = Object.fromEntries(demanded.map(({ parameter, property }) => [property, call.query[parameter]]));
    return { ...place, known: { ...place.known, ...asked }, part: `${place.part}?${JSON.stringify(asked)}` };
  };
}

/** A reader of the envelope of a list: what the page does not decide is made up once, when it is first asked for. */
function createEnvelopeReader(kit: StateKit, shape: ListShape): (exchange: Exchange) => Envelope {
  const { schema } = shape;
  let made: Envelope | undefined;
  return ({ session }) => {
    made ??= createEnvelope(shape, kit.read(schema), {
      findWrong: (body) =>
        kit.validators
          .check(schema, 'response')(body, 'body')
          .map(({ pointer }) => pointer.split('/')[1] ?? ''),
      complete: (known) => {
        const { seed, clock } = session;
        const context = { seed, key: schema, direction: 'response' as const, now: clock.now() };
        // The schema of an envelope gives an object.
        return kit.generator.complete(schema, known, context) as Readonly<Record<string, unknown>>;
      },
    });
    return made;
  };
}

type Keep = ReturnType<typeof readFilters>;

function both(one: Keep, other: Keep): Keep {
  if (one === undefined || other === undefined) return one ?? other;
  return (entry) => one(entry) && other(entry);
}

function readDescending(plan: PagePlan, call: Call): boolean {
  if (plan.order === undefined) return plan.descending;
  const asked = call.query[plan.order.name];
  return asked === undefined ? plan.descending : isDescending(asked);
}

function readLimit(plan: PagePlan, call: Call): number {
  const asked = call.query[plan.names.limit ?? ''];
  const limit = typeof asked === 'number' ? asked : Number(asked ?? Number.NaN);
  // Where the contract lets a negative number pass, it asks for nothing that a page could be.
  const isCount = Number.isFinite(limit) && limit >= 0;
  return Math.min(isCount ? Math.floor(limit) : plan.defaultLimit, plan.maximumLimit);
}

/** A cursor that names no item is a mistake of the client: nothing says where the walk should go on. */
function answerMistake(
  kit: StateKit,
  exchange: Exchange,
  at: { readonly binding: Binding; readonly plan: PagePlan; readonly mistake: PageMistake },
): Answer {
  const { binding, plan, mistake } = at;
  const param = plan.names[mistake.role];
  const message =
    mistake.role === 'token'
      ? `${JSON.stringify(mistake.value)} is no cursor of this list`
      : `no ${toWords(binding.collection)} has the id ${JSON.stringify(mistake.value)}`;
  const placed = `query parameter "${param ?? mistake.role}": ${message}`;
  exchange.note(`state: ${placed}`);
  return kit.errors.answer(binding.operation, {
    status: 400,
    message: placed,
    code: 'invalid_value',
    param,
    from: 'state',
  });
}

/** The URL of a list with another place in it. */
function toUrl(
  call: Call,
  plan: PagePlan,
  to: { readonly turn: PageTurn | undefined; readonly absolute: boolean },
): string {
  const [path = '', query = ''] = call.url.split('?');
  const origin = to.absolute ? `http://${call.headers.get('host') ?? 'localhost'}` : '';
  if (to.turn === undefined) return origin + path;
  const parameters = new URLSearchParams(query);
  for (const role of ['after', 'before', 'token', 'page', 'offset'] as const) {
    const name = plan.names[role];
    if (name !== undefined) parameters.delete(name);
  }
  parameters.set(plan.names[to.turn.role] ?? to.turn.role, String(to.turn.value));
  return `${origin}${path}?${parameters.toString()}`;
}

/** RFC 8288: where the neighbours of this page are. */
function toLinkHeader(
  page: { readonly next: PageTurn | undefined; readonly previous: PageTurn | undefined },
  url: (turn: PageTurn, absolute: boolean) => string,
): Answer['headers'] {
  const links = [
    ...(page.previous === undefined ? [] : [`<${url(page.previous, true)}>; rel="prev"`]),
    ...(page.next === undefined ? [] : [`<${url(page.next, true)}>; rel="next"`]),
  ];
  return links.length === 0 ? {} : { link: links.join(', ') };
}
