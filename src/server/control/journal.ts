import { writeJson } from '../../base/exact-json.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import { negotiate } from '../../http/response/negotiate.js';
import type { Interaction, PlainInteraction, InteractionRedactor } from '../../journal/interaction.js';
import type { Journal } from '../../journal/journal.js';
import type { Session } from '../../session/session.js';
import { answerEmpty, answerItems, answerJson, answerProblem } from './answer.js';
import type { ControlHandlers, ControlledParts } from './routes.js';
import { setImmediate } from '../../base/platform.js';

/** Query parameters, which have these types by the document of the control API. */
interface JournalQuery {
  readonly operation?: string;
  readonly since?: number;
  readonly limit?: number;
  readonly count?: number;
  readonly timeout?: number;
}

/** The operations on journals. */
export function journalHandlers(parts: ControlledParts): ControlHandlers {
  return {
    getJournal: ({ call, session }) => showJournal(call, session(), parts),
    clearJournal: ({ session }) => {
      session().journal.clear();
      return answerEmpty();
    },
    waitForCall: async ({ call, openSession }) => {
      const { journal } = openSession();
      const { operation = '', since: after, count, timeout } = call.query as JournalQuery;
      const interaction = await journal.waitFor(operation, { after, count, timeout });
      return answerJson(200, parts.redactor.toPlain(interaction));
    },
    verifyJournal: ({ session }) => {
      const findings = parts.findViolations(session()).map(({ interaction, message }) => ({
        number: interaction?.number ?? null,
        message,
      }));
      return answerJson(200, { ok: findings.length === 0, findings });
    },
  };
}

/** How many interactions a page has that names no limit. */
const PAGE_SIZE = 100;

function showJournal(call: Call, { journal }: Session, { redactor }: ControlledParts): Answer {
  const format = readFormat(call);
  if (format === undefined) {
    const accept = call.headers.get('accept') ?? '';
    const message = `the journal is available as application/json or application/x-ndjson, not as ${accept}`;
    const hint = 'omit the Accept header, or choose with ?format=json or ?format=ndjson';
    return answerProblem({ status: 406, code: 'CONTROL_INVALID', message, hint });
  }
  const { page, next } = selectInteractions(call, journal);
  const redacted = showOneByOne(page, redactor);
  if (format === 'ndjson') return answerItems(redacted);
  const { dropped } = journal;
  const last = journal.last()?.number ?? 0;
  return answerJson(200, writePage(redacted, { dropped, last, ...(next !== undefined && { next }) }));
}

/** Interactions without their secrets: with large bodies, all of them together are too long for one string. */
async function* showOneByOne(
  page: readonly Interaction[],
  redactor: InteractionRedactor,
): AsyncGenerator<PlainInteraction, void, undefined> {
  for (const interaction of page) {
    yield redactor.toPlain(interaction);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function* writePage(
  interactions: AsyncIterable<PlainInteraction>,
  rest: object,
): AsyncGenerator<string, void, undefined> {
  let before = '{"interactions":[';
  for await (const interaction of interactions) {
    yield before + writeJson(interaction);
    before = ',';
  }
  yield `${before === ',' ? '' : before}],${JSON.stringify(rest).slice(1)}`;
}

/** One page of the journal, and the number after which the next one begins, where there is one. */
function selectInteractions(
  call: Call,
  journal: Journal,
): { readonly page: Journal['interactions']; readonly next: number | undefined } {
  const { operation, since, limit = PAGE_SIZE } = call.query as JournalQuery;
  const ofOperation = operation === undefined ? journal.interactions : journal.calls(operation);
  if (since === undefined) return { page: ofOperation.slice(-limit), next: undefined };
  const after = ofOperation.filter(({ number }) => number > since);
  const page = after.slice(0, limit);
  return { page, next: page.length < after.length ? page.at(-1)?.number : undefined };
}

function readFormat(call: Call): 'json' | 'ndjson' | undefined {
  const asked = call.query['format'];
  if (asked === 'json' || asked === 'ndjson') return asked;
  const type = negotiate(call.headers.get('accept'), ['application/json', 'application/x-ndjson']);
  if (type === undefined) return undefined;
  return type === 'application/json' ? 'json' : 'ndjson';
}
