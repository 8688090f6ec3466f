import type { Operation } from '../../contract/operations/operation.js';
import { MockError } from '../../errors.js';
import type { CassetteWriter } from '../cassette/cassette-writer.js';
import type { StoredExchange } from '../cassette/cassette.js';
import type { UnnumberedExchange } from '../cassette/exchange.js';
import type { Manifest } from '../cassette/manifest.js';
import type { Redactor } from '../redaction/redact.js';

/** Writes exchanges into one cassette, without their secrets. */
export interface Recorder {
  /** Resolves once the exchange is on disk, or with the reason why it was not written. */
  record(exchange: UnnumberedExchange, operation: Operation): Promise<RecordOutcome>;
  /** Exchanges that were not written, with the reason. */
  readonly refusals: readonly MockError[];
  /** Resolves once everything that was begun is on disk. */
  settle(): Promise<void>;
}

/** What became of an exchange. */
type RecordOutcome = { readonly stored: StoredExchange } | { readonly refused: MockError };

/** What a recorder is made of. */
interface RecorderParts {
  readonly writer: CassetteWriter;
  readonly redactor: Redactor;
  /** The manifest to begin anew with: what the cassette held is removed when the first new exchange is there. */
  readonly fresh: Manifest | undefined;
}

/** A recorder into a cassette. */
export function createRecorder({ writer, redactor, fresh }: RecorderParts): Recorder {
  const { vault } = redactor;
  let refusals: readonly MockError[] = [];
  let described = vault.size;
  let renewal = fresh;
  let describing: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** The manifest names every placeholder before a file holds it. A description that waits its turn covers all that came since. */
  const describe = (): Promise<void> => {
    describing ??= writer.describe((manifest) => {
      describing = undefined;
      described = vault.size;
      return { ...manifest, redacted: vault.issued() };
    });
    return describing;
  };

  /** A credential that is recognised only now may stand in what was written before. */
  const scrub = (known: Redactor['vault']['known']): Promise<void> =>
    writer.rewrite((text) =>
      known.reduce(
        (clean, [secret, placeholder]) => clean.replaceAll(Buffer.from(secret).toString('latin1'), placeholder),
        text,
      ),
    );

  const write = async (exchange: UnnumberedExchange, operation: Operation): Promise<RecordOutcome> => {
    const before: Promise<void>[] = [];
    if (renewal !== undefined) before.push(writer.clear(renewal));
    renewal = undefined;
    const knownBefore = vault.known;
    const clean = redactor.redact(exchange, operation);
    if (vault.size > described) before.push(describe());
    const credentials = vault.known.filter(
      (entry) => !knownBefore.includes(entry) && isCredential(vault.ruleOf(entry[1])),
    );
    if (credentials.length > 0 && writer.read().exchanges.length > 0) before.push(scrub(credentials));
    // The writer does one thing after the other, so that these are done when the exchange's turn comes.
    const added = writer.add(clean, redactor.scan);
    try {
      await Promise.all(before);
      return { stored: await added };
    } catch (error) {
      if (!(error instanceof MockError) || error.code !== 'RECORDING_SECRET') throw error;
      refusals = [...refusals, error];
      return { refused: error };
    }
  };

  return {
    get refusals() {
      return refusals;
    },
    record: (exchange, operation) => {
      const written = write(exchange, operation);
      last = Promise.allSettled([last, written]);
      return written;
    },
    settle: async () => {
      await last;
    },
  };
}

/** Secrets of bodies come into being with their exchange; credentials were there before. */
function isCredential(rule: string | undefined): boolean {
  return rule !== undefined && !rule.startsWith('schema:') && !rule.startsWith('key:');
}
