import { cutCountedText } from '../../base/errors.js';
import type { RouteMatch } from '../../contract/router/router.js';
import { hidePathSecrets } from '../../conventions/secret-forms.js';
import type { ClientReport } from '../../schema/violation.js';

/** A request that matches no operation. */
export interface Unmatched {
  readonly match: Exclude<RouteMatch, { readonly kind: 'operation' }>;
  readonly request: { readonly method: string };
  readonly path: string;
}

const SHOWN_PATH_LENGTH = 200;

/** Describes the mistake of a request that matches no operation. */
export function describeUnmatched({ match, request, path }: Unmatched): ClientReport {
  const shown = cutCountedText(hidePathSecrets(path), SHOWN_PATH_LENGTH);
  if (match.kind === 'method') {
    const message = `${shown} does not support ${request.method}; it supports ${match.allow.join(', ')}`;
    return { code: 'METHOD_UNKNOWN', in: 'method', message };
  }
  const paths = match.nearest();
  const nearest = paths.length === 0 ? '' : `; the nearest ${paths.length === 1 ? 'is' : 'are'} ${paths.join(', ')}`;
  return { code: 'PATH_UNKNOWN', in: 'path', message: `the contract has no path ${shown}${nearest}` };
}
