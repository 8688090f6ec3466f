import { ApiError, type Reload, request, type Row } from './api.ts';

/** Whether the log is connected to the mock. */
export type Connection = 'connecting' | 'open' | 'lost' | 'locked';

/** What the log says about itself. */
interface Listener {
  readonly onRows: (rows: readonly Row[]) => void;
  readonly onSkipped: (count: number) => void;
  readonly onReload: (reload: Reload | undefined) => void;
  readonly onConnection: (connection: Connection, error?: ApiError) => void;
}

const MAX_WAIT_MS = 5000;

/** How often rows are passed on: to draw the page takes longer than many a request. */
const ROWS_EVERY_MS = 50;

/** Follows the log until the signal is aborted; a lost connection is opened again and continues where it ended. */
export async function followLog(given: Listener, signal: AbortSignal): Promise<void> {
  const listener = { ...given, onRows: gatherRows(given.onRows, signal) };
  let last: string | undefined;
  let wait = 250;
  while (!signal.aborted) {
    try {
      const headers: HeadersInit = last === undefined ? {} : { 'last-event-id': last };
      // EventSource cannot send the token.
      const response = await request('/journal/stream', { headers, signal });
      listener.onConnection('open');
      wait = 250;
      for await (const batch of readBatches(response)) {
        last = batch.findLast(({ id }) => id !== '')?.id ?? last;
        deliver(batch, listener);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
        listener.onConnection('locked', error);
        return;
      }
    }
    if (signal.aborted) return;
    listener.onConnection('lost');
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 2, MAX_WAIT_MS);
  }
}

/** Passes rows on at once, and those that follow soon together. */
function gatherRows(onRows: Listener['onRows'], signal: AbortSignal): Listener['onRows'] {
  let waiting: Row[] | undefined;
  const pass = (): void => {
    const rows = waiting ?? [];
    waiting = rows.length === 0 ? undefined : [];
    if (rows.length === 0 || signal.aborted) return;
    setTimeout(pass, ROWS_EVERY_MS);
    onRows(rows);
  };
  return (rows) => {
    const isFirst = waiting === undefined;
    waiting = [...(waiting ?? []), ...rows];
    if (isFirst) pass();
  };
}

interface Event {
  readonly name: string;
  readonly id: string;
  readonly data: string;
}

function deliver(events: readonly Event[], { onRows, onSkipped, onReload }: Listener): void {
  const rows: Row[] = [];
  for (const { name, data } of events) {
    if (name === 'interaction') rows.push(JSON.parse(data) as Row);
    else if (name === 'reload') onReload((JSON.parse(data) as { readonly last: Reload | null }).last ?? undefined);
    else if (name === 'skipped') onSkipped((JSON.parse(data) as { readonly count: number }).count);
  }
  if (rows.length > 0) onRows(rows);
}

/** The events of each chunk (HTML standard 9.2.6), as far as the control API writes them. */
async function* readBatches({ body }: Response): AsyncGenerator<readonly Event[]> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    yield blocks.map(readEvent);
  }
}

function readEvent(block: string): Event {
  const fields = { event: '', id: '', data: '' };
  for (const line of block.split('\n')) {
    const colon = line.indexOf(': ');
    const name = line.slice(0, colon);
    if (name === 'event' || name === 'id' || name === 'data') fields[name] += line.slice(colon + 2);
  }
  return { name: fields.event, id: fields.id, data: fields.data };
}
