import { formatPlace } from '../errors.js';
import { answerJson } from './control-answer.js';
import type { ControlHandler, ControlledParts } from './control-handlers.js';

/** The operations that speak of the mock as a whole. */
export function mockHandlers({
  contract,
  sessions,
  editors,
}: ControlledParts): Readonly<Record<string, ControlHandler>> {
  return {
    getHealth: () => answerJson(200, { status: 'ok', title: contract.title, sessions: sessions.list().length }),
    getContract: () =>
      answerJson(200, {
        title: contract.title,
        version: contract.version,
        hash: contract.hash,
        operations: contract.operations.map(({ id, method, path, summary, deprecated }) => ({
          id,
          method,
          path,
          ...(summary === undefined ? {} : { summary }),
          deprecated,
        })),
        collections: editors.names,
        problems: contract.problems.map(({ code, severity, message, assumed, at }) => ({
          code,
          severity,
          message,
          ...(assumed === undefined ? {} : { assumed }),
          at: formatPlace(at),
        })),
      }),
    getContractDocument: () => answerJson(200, contract.document),
  };
}
