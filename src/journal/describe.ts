import type { Interaction } from './interaction.js';

/** One interaction in one line, for messages: `#3 GET /v1/things -> 404 state (listThings)`. Secrets in the query are left out. */
export function describeInteraction({ number, request, answer, operation }: Interaction): string {
  const name = operation === undefined ? 'no operation' : operation;
  return `#${number} ${request.method} ${shorten(hideQuery(request.url))} -> ${answer.status} ${answer.from} (${name})`;
}

const SHOWN_URL_LENGTH = 120;

/** Query values stay out of messages but for short plain ones: any of them may be a credential. */
function hideQuery(url: string): string {
  return url.replaceAll(/([?&][^=&?]*=)([^&]*)/g, (whole: string, name: string, value: string) =>
    /(?:key|token|secret|password|sig)/i.test(name) || value.length > 24 ? `${name}…` : whole,
  );
}

function shorten(text: string): string {
  return text.length <= SHOWN_URL_LENGTH ? text : `${text.slice(0, SHOWN_URL_LENGTH)}…`;
}
