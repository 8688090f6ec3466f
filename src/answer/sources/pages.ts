import { means } from '../../conventions/conventions.js';
import type { Contract } from '../../contract/contract.js';
import { changeAt, isObject, readPath } from '../../base/json.js';
import { isJsonType } from '../../contract/media-type.js';
import type { Operation } from '../../contract/operations/operation.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import { memoize } from '../../base/memoize.js';
import { hasErrors } from '../../schema/violation.js';
import { createSchemaReader, listProperties, type ReadSchema } from '../../contract/schema-view/schema-view.js';
import {
  findListItems,
  findRole,
  type ItemsPosition,
  type Member,
  planList,
  readAnswerPointer,
} from '../../resources/list/list-shape.js';
import { choosePlan, createPagePlan, type PagePlan } from '../../resources/list/plan.js';
import { type AnswerSource, type SourceParts, whenSettled } from '../chain.js';

/** How the list of an operation is paginated. */
interface ListPlan {
  readonly pages: PagePlan;
  /** The property names from the root of the body to the items. */
  readonly path: readonly string[];
  /** The properties around the items. */
  readonly members: readonly Member[];
}

/** The page that a request asks for. */
interface AskedPage {
  readonly plan: ListPlan;
  readonly isFirst: boolean;
  /** The maximum number of items; Infinity without a limit. */
  readonly limit: number;
}

/**
 * Limits lists that come from an example or a schema: to the number of items that the request asks for, and to one page. A request for another
 * page gets none, so that clients which follow a cursor come to an end.
 */
export function createPagesSource({ contract, validators }: SourceParts): AnswerSource {
  const read = createSchemaReader(contract);
  const planOf = memoize((operation: Operation) => planPages(contract, read, operation));
  const cut = (answer: Answer | undefined, asked: AskedPage): Answer | undefined => {
    if (answer === undefined || answer.status >= 300 || !isJsonType(answer.mediaType ?? '')) return answer;
    const { plan, isFirst, limit } = asked;
    const items = readPath(answer.body, plan.path);
    if (!Array.isArray(items) || (isFirst && items.length <= limit)) return answer;
    const isRight = (body: unknown): boolean =>
      answer.schemaPointer === undefined ||
      !hasErrors(validators.check(answer.schemaPointer, 'response')(body, 'body'));
    const limited = changeAt(answer.body, plan.path, () => items.slice(0, limit));
    // Some schemas allow no empty list.
    const bodies = isFirst
      ? [limited]
      : [changeAt(answer.body, plan.path, () => []), limited].map((body) => closeList(body, plan.members));
    const body = bodies.find(isRight);
    return body === undefined ? answer : { ...answer, body };
  };
  return {
    name: 'pages',
    answer: (exchange, next) => {
      const plan = planOf(exchange.call.operation);
      const asked = plan && readPage(plan, exchange.call);
      if (asked === undefined) return next(exchange);
      if (!asked.isFirst) exchange.note('pages: the list has one page; this is the one after it');
      return whenSettled(next(exchange), cut, asked);
    },
  };
}

/** Undefined where the operation is not a list, or has no parameters for pages. */
function planPages(contract: Contract, read: ReadSchema, operation: Operation): ListPlan | undefined {
  const items = findListItems(read, operation) ?? findOnlyArray(read, operation);
  const shape = planList(read, operation, items);
  if (items === undefined || shape === undefined || items.element.length > 0) return undefined;
  const pages = createPagePlan(contract, operation, { item: undefined, shape: shape.plan });
  const isNamed = [pages, ...pages.others].some(({ style, names }) => style.signs.some((role) => names[role]));
  const isLimited = operation.method === 'GET' && pages.names.limit !== undefined;
  if (!isNamed && !isLimited) return undefined;
  return { pages, path: items.path, members: shape.plan.kind === 'object' ? shape.plan.members : [] };
}

/** The only array of a response, such as one of generated ids. */
function findOnlyArray(read: ReadSchema, operation: Operation): ItemsPosition | undefined {
  const arrays = listProperties(read(readAnswerPointer(operation))).filter(({ schema }) => schema.type === 'array');
  const [only] = arrays;
  if (only === undefined || arrays.length > 1) return undefined;
  return { path: [only.name], element: [], itemSchema: read(only.target)?.element };
}

/** Undefined where the request neither names a page nor limits it. */
function readPage({ pages, ...rest }: ListPlan, call: Call): AskedPage | undefined {
  const values = pages.readValues(call);
  const { names, firstPage, firstOffset } = choosePlan(pages, values);
  const value = (role: keyof typeof names): unknown => values[names[role] ?? ''];
  const isText = (given: unknown): boolean => typeof given === 'string' && given !== '';
  const isBeyond = (given: unknown, first: number): boolean => Number(given) > first;
  const isFirst = !(
    isText(value('token')) ||
    isText(value('after')) ||
    isText(value('before')) ||
    isBeyond(value('page'), firstPage) ||
    isBeyond(value('offset'), firstOffset)
  );
  const given = value('limit');
  const limit = typeof given === 'number' && given > 0 ? given : Infinity;
  return isFirst && limit === Infinity ? undefined : { plan: { pages, ...rest }, isFirst, limit };
}

/** An envelope without a next page. Examples also have properties that the schema does not declare. */
function closeList(body: unknown, members: readonly Member[], above: readonly string[] = []): unknown {
  if (!isObject(body)) return body;
  const closed: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(body)) {
    const { plan, nullable, required } = members.find((member) => member.name === name) ?? UNDECLARED;
    const inner = plan?.kind === 'object' ? plan.members : [];
    const role = plan?.kind === 'field' ? plan.field.role : findRole(name, above);
    if (isObject(value)) {
      if (plan?.kind === 'object' || means(name, 'pages.object'))
        closed[name] = closeList(value, inner, [...above, name]);
    } else if (role === 'hasMore' && typeof value === 'boolean') closed[name] = false;
    else if (role === 'count' && typeof value === 'number') closed[name] = 0;
    else if (role === 'next') {
      if (nullable) closed[name] = null;
      else if (!required) delete closed[name];
      else if (typeof value === 'string') closed[name] = '';
    }
  }
  return closed;
}

const UNDECLARED = { plan: undefined, nullable: false, required: false };
