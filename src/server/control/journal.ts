import { formatPlace } from '../../errors.js';
import type { Answer } from '../../http/answer.js';
import type { Call } from '../../http/request/call.js';
import { negotiate } from '../../http/response/negotiate.js';
import { type Journal, toLines } from '../../journal/journal.js';
import type { Session } from '../../session/session.js';
import { findSessionViolations } from '../../session/verify.js';
import { answerEmpty, answerJson, answerLines, answerProblem } from './answer.js';
import type { ControlHandlers, ControlledParts } from './routes.js';

/** The operations on journals. */
export function journalHandlers(parts: ControlledParts): ControlHandlers {
  return {
    getJournal: ({ call, session }) => showJournal(call, session()),
    clearJournal: ({ session }) => {
      session().journal.clear();
      return answerEmpty();
    },
    waitForCall: async ({ call, openSession }) => {
      const { journal } = openSession();
      // Of these types by the document of the control API.
      const { operation, since, count, timeout } = call.query as {
        readonly operation: string;
        readonly since?: number;
        readonly count?: number;
        readonly timeout?: number;
      };
      const interaction = await journal.waitFor(operation, { after: since, count, timeout });
      return answerJson(200, journal.toPlain(interaction));
    },
    verifyJournal: ({ session }) => {
      const findings = findSessionViolations(session(), parts.scenarios, {}).map(({ interaction, message }) => ({
        number: interaction?.number ?? null,
        message,
      }));
      return answerJson(200, { ok: findings.length === 0, findings });
    },
  };
}

function showJournal(call: Call, { journal }: Session): Answer {
  const format = readFormat(call);
  if (format === undefined) {
    const accept = call.headers.get('accept') ?? '';
    const message = `the journal is available as application/json or application/x-ndjson, not as ${accept}`;
    const hint = 'omit the Accept header, or choose with ?format=json or ?format=ndjson';
    return answerProblem({ status: 406, code: 'CONTROL_INVALID', message, hint });
  }
  const plain = selectInteractions(call, journal).map(journal.toPlain);
  if (format === 'ndjson') return answerLines(toLines(plain));
  return answerJson(200, { interactions: plain, dropped: journal.dropped, last: journal.last()?.number ?? 0 });
}

function selectInteractions(call: Call, journal: Journal): Journal['interactions'] {
  // Of these types by the document of the control API.
  const { operation, since, limit } = call.query as {
    readonly operation?: string;
    readonly since?: number;
    readonly limit?: number;
  };
  const ofOperation = operation === undefined ? journal.interactions : journal.calls(operation);
  const after = since === undefined ? ofOperation : ofOperation.filter(({ number }) => number > since);
  if (limit === undefined) return after;
  return since === undefined ? after.slice(-limit) : after.slice(0, limit);
}

function readFormat(call: Call): 'json' | 'ndjson' | undefined {
  const asked = call.query['format'];
  if (asked === 'json' || asked === 'ndjson') return asked;
  const type = negotiate(call.headers.get('accept'), ['application/json', 'application/x-ndjson']);
  if (type === undefined) return undefined;
  return type === 'application/json' ? 'json' : 'ndjson';
}

/** The operations on the mock as a whole. */
export function mockHandlers({ contract, sessions, editors }: ControlledParts): ControlHandlers {
  return {
    getHealth: () => answerJson(200, { status: 'ok', title: contract.title, sessions: sessions.list().length }),
    getContract: () =>
      answerJson(200, {
        title: contract.title,
        version: contract.version,
        hash: contract.hash,
        operations: contract.operations.map(({ id, method, path, summary, deprecated }) => {
          return { id, method, path, summary, deprecated };
        }),
        collections: editors.names,
        problems: contract.problems.map(({ code, severity, message, assumed, at }) => {
          return { code, severity, message, assumed, at: formatPlace(at) };
        }),
      }),
    getContractDocument: () => answerJson(200, contract.document),
  };
}
