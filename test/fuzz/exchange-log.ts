import type { Sent } from './cases.js';
import type { Exchange } from './connection.js';
import type { Delay } from './server-process.js';

/** The last connections, in the order of their ends; those that are open come last. */
export interface ExchangeLog {
  open(exchange: Exchange): () => void;
  suspects(): readonly Sent[];
  /** The first lines of the requests that were answered when a delay ended, the likely ones first. */
  during(delay: Delay): readonly string[];
}

/** Connections that a failing case has before it is reduced. */
const KEPT_EXCHANGES = 600;
const KEPT_LINES = 6;

/** Creates the log of one mock. */
export function createExchangeLog(): ExchangeLog {
  const ended: { readonly exchange: Exchange; readonly openedAt: number; readonly endedAt: number }[] = [];
  const open = new Map<Exchange, number>();
  return {
    open: (exchange) => {
      const openedAt = readTime();
      open.set(exchange, openedAt);
      return () => {
        open.delete(exchange);
        ended.push({ exchange, openedAt, endedAt: readTime() });
        if (ended.length > KEPT_EXCHANGES) ended.shift();
      };
    },
    suspects: () =>
      [...ended.map(({ exchange }) => exchange), ...open.keys()].map(({ bytes, answers }): Sent =>
        answers === undefined ? bytes : { bytes, answers },
      ),
    during: ({ from, to }) => {
      const answered = ended.filter(({ openedAt, endedAt }) => openedAt <= to && endedAt >= from);
      // A request is answered at the end of the delay that it causes.
      const byEnd = answered.toSorted((one, other) => Math.abs(one.endedAt - to) - Math.abs(other.endedAt - to));
      const waiting = [...open].filter(([, openedAt]) => openedAt <= to).map(([exchange]) => exchange);
      return [...byEnd.map(({ exchange }) => exchange), ...waiting].slice(0, KEPT_LINES).map(toFirstLine);
    },
  };
}

/** Milliseconds since 1970, with fractions. */
function readTime(): number {
  return performance.timeOrigin + performance.now();
}

function toFirstLine({ bytes }: Exchange): string {
  const line = bytes.slice(0, 90).split('\r\n', 1)[0] ?? '';
  return `${JSON.stringify(line)} (${bytes.length} bytes)`;
}
