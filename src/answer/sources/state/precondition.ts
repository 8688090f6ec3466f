import type { Answer } from '../../../http/answer.js';
import { hashText } from '../../../random.js';
import { NO_VIOLATIONS } from '../../../schema/violation.js';
import type { Binding } from '../../../state/resource.js';
import type { Entry } from '../../../state/store/item-list.js';
import type { Exchange } from '../../chain.js';
import type { StateKit } from './kit.js';

/** Conditional requests on one operation (RFC 9110 section 13), where the contract speaks of them. */
interface Preconditions {
  /** The answer that a failed condition calls for: 412, or 304 for a read; undefined where all hold. */
  before(exchange: Exchange, entry: Entry | undefined): Answer | undefined;
  /** The `ETag` of an item, where the resource has tags. */
  headers(entry: Entry): Answer['headers'];
}

const NO_HEADERS: Answer['headers'] = Object.freeze({});

const NONE: Preconditions = { before: () => undefined, headers: () => NO_HEADERS };

/** Plans the conditions of an operation; nothing is checked where no operation of the resource declares tags. */
export function createPreconditions(kit: StateKit, binding: Binding): Preconditions {
  const siblings = [...kit.resources.bindings.values()].filter(({ collection }) => collection === binding.collection);
  if (!siblings.some(speaksOfTags)) return NONE;
  const { operation } = binding;
  const { idProperty } = kit.kit(binding.collection).resource;
  return {
    headers: (entry) => ({ etag: toTag(entry) }),
    before: ({ call }, entry) => {
      const match = call.headers.get('if-match');
      const tag = entry === undefined ? undefined : toTag(entry);
      if (match !== null && !isListed(match, tag)) {
        const message = `the ${idProperty ?? 'item'} has changed since: If-Match is ${match}, and its ETag is ${tag ?? 'none'}`;
        return kit.errors.answer(operation, {
          status: 412,
          message,
          code: 'precondition_failed',
          param: 'If-Match',
          from: 'state',
        });
      }
      const unlike = call.headers.get('if-none-match');
      if (unlike === null || !isListed(unlike, tag)) return undefined;
      // RFC 9110 13.1.2: 304 for a read, 412 for anything else.
      if (call.method === 'GET' || call.method === 'HEAD') {
        return {
          status: 304,
          headers: { etag: tag ?? '' },
          body: undefined,
          mediaType: undefined,
          from: 'state',
          violations: NO_VIOLATIONS,
        };
      }
      const message = `there is one already: If-None-Match is ${unlike}`;
      return kit.errors.answer(operation, {
        status: 412,
        message,
        code: 'precondition_failed',
        param: 'If-None-Match',
        from: 'state',
      });
    },
  };
}

function speaksOfTags({ operation }: Binding): boolean {
  return (
    operation.parameters.some(({ name, in: place }) => place === 'header' && /^if-(none-)?match$/i.test(name)) ||
    operation.responses.some(
      ({ status, headers }) => status === '412' || headers.some(({ name }) => /^etag$/i.test(name)),
    )
  );
}

/** The tag of an item as it is now: its own `etag` where it has one, else made from its id and the number of its changes. */
function toTag(entry: Entry): string {
  const own = entry.item['etag'];
  return typeof own === 'string' ? `"${own}"` : `"${hashText(entry.id).toString(36)}-${entry.revision}"`;
}

/** Whether a list of tags names this one; `*` names any that there is. Quotes are optional, since many clients forget them. */
function isListed(list: string, tag: string | undefined): boolean {
  if (tag === undefined) return false;
  if (list.trim() === '*') return true;
  const bare = (text: string): string => text.trim().replace(/^W\//, '').replaceAll('"', '');
  return list.split(',').some((each) => bare(each) === bare(tag));
}
