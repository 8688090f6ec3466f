import { styleText } from 'node:util';
import type { Interaction } from '../journal/interaction.js';

/** The option of a mock that logs its interactions; none where the command is to be quiet. */
export function logInteractions(options: {
  readonly json: boolean;
  readonly quiet: boolean;
  write(line: string): void;
}): { readonly onInteraction?: (interaction: Interaction) => void } {
  if (options.quiet) return {};
  const format = options.json ? formatInteractionJson : formatInteraction;
  return { onInteraction: (interaction) => options.write(format(interaction)) };
}

/** One tidy line for an interaction: method, path, status, time, where the answer came from, the first violation. */
function formatInteraction(interaction: Interaction): string {
  const { request, answer, elapsedMs } = interaction;
  const violation = interaction.violations[0];
  const parts = [
    request.method.padEnd(6),
    shorten(request.url),
    colourStatus(answer.status),
    dim(`${elapsedMs.toFixed(elapsedMs < 10 ? 1 : 0)}ms`),
    dim(answer.from),
  ];
  if (violation !== undefined) {
    const more = interaction.violations.length === 1 ? '' : ` (+${interaction.violations.length - 1})`;
    parts.push(colour(violation.severity === 'error' ? 'yellow' : 'gray', `${violation.message}${more}`));
  }
  return parts.join(' ');
}

/** The same as one line of JSON. Header values are left out: credentials travel there. */
function formatInteractionJson(interaction: Interaction): string {
  const { request, answer } = interaction;
  return JSON.stringify({
    time: new Date(interaction.at).toISOString(),
    number: interaction.number,
    session: interaction.session,
    operation: interaction.operation ?? null,
    method: request.method,
    url: hideSecrets(request.url),
    status: answer.status,
    elapsedMs: Math.round(interaction.elapsedMs * 1000) / 1000,
    from: answer.from,
    violations: interaction.violations.map(({ code, severity, in: place, pointer, message, by }) => ({
      code,
      severity,
      in: place,
      pointer,
      message,
      by,
    })),
  });
}

const SHOWN_URL_LENGTH = 120;

// Query parameters that carry credentials by the names APIs give them.
const SECRET_QUERY = /([?&](?:api[_-]?key|access[_-]?token|token|key|secret|password|signature|sig)=)[^&]*/gi;

function hideSecrets(url: string): string {
  return url.replaceAll(SECRET_QUERY, '$1…');
}

function shorten(url: string): string {
  const shown = hideSecrets(url);
  return shown.length <= SHOWN_URL_LENGTH ? shown : `${shown.slice(0, SHOWN_URL_LENGTH)}…`;
}

function colourStatus(status: number): string {
  if (status >= 500) return colour('red', String(status));
  if (status >= 400) return colour('yellow', String(status));
  return colour('green', String(status));
}

function dim(text: string): string {
  return colour('gray', text);
}

/** Colour only where standard output is a terminal and NO_COLOR is not set. */
export function colour(name: 'red' | 'yellow' | 'green' | 'gray' | 'bold', text: string): string {
  // Node 20.12 and later; `stream` makes it obey NO_COLOR, FORCE_COLOR and a pipe.
  return styleText(name, text, { stream: process.stdout });
}
