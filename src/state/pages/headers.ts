import type { DeclaredHeader, Operation } from '../../contract/operations/operation.js';
import { type EnvelopeFacts, readField } from './envelope.js';
import { type EnvelopeField, type EnvelopeRole, findRole } from './list-shape.js';

/** The roles that headers have; other names are those of other mechanisms, such as rate limits. */
const HEADER_ROLES: ReadonlySet<EnvelopeRole> = new Set([
  'hasMore',
  'limit',
  'next',
  'offset',
  'page',
  'pages',
  'previous',
  'total',
]);

/**
 * Plans the headers of a list response that describe the page: `Link`, `Content-Range`, and declared ones such as `X-Total-Count`.
 *
 * @param links - Whether links are sent also where none are declared.
 */
export function createPageHeaders(
  { responses }: Operation,
  links: boolean,
): (facts: EnvelopeFacts) => Readonly<Record<string, string>> {
  const declared = responses.filter(({ status }) => status.startsWith('2')).flatMap(({ headers }) => headers);
  const fields = declared.flatMap((header) => {
    const field = toField(header);
    return field === undefined ? [] : [{ name: header.name.toLowerCase(), field }];
  });
  const linked = links || declared.some(({ name }) => /^link$/i.test(name));
  const ranged = declared.some(({ name }) => /^content-range$/i.test(name));
  if (!linked && !ranged && fields.length === 0) return () => NO_HEADERS;
  return (facts) => {
    const headers: Record<string, string> = {};
    for (const { name, field } of fields) {
      const value = readField(field, facts);
      if (value !== undefined) headers[name] = typeof value === 'string' ? value : JSON.stringify(value);
    }
    if (ranged) headers['content-range'] = toContentRange(facts);
    const link = linked ? toLinks(facts) : '';
    if (link !== '') headers['link'] = link;
    return headers;
  };
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

function toField({ name }: DeclaredHeader): EnvelopeField | undefined {
  const role = findRole(name.replace(/^x-/i, '').replace(/^pagination-/i, ''), []);
  return role !== undefined && HEADER_ROLES.has(role) ? { role, form: 'value', type: 'string' } : undefined;
}

/** RFC 9110 14.4, with the unit of the request, else items. */
function toContentRange({ page: { from, to, unit = 'items' }, total }: EnvelopeFacts): string {
  return `${unit === '' ? '' : `${unit} `}${to > from ? `${from}-${to - 1}` : '*'}/${total}`;
}

/** RFC 8288: links to the other pages. */
function toLinks({ page, url }: EnvelopeFacts): string {
  const { previous, next, last } = page;
  const links: string[] = [];
  if (previous !== undefined && last !== undefined) links.push(`<${url('first', true)}>; rel="first"`);
  if (previous !== undefined) links.push(`<${url(previous, true)}>; rel="prev"`);
  if (next !== undefined) links.push(`<${url(next, true)}>; rel="next"`);
  if (next !== undefined && last !== undefined) links.push(`<${url(last, true)}>; rel="last"`);
  return links.join(', ');
}
