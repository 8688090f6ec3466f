import { loadCassette } from '../../features/recording/cassette/cassette.js';
import { toDoubles } from '../../base/exact-json.js';
import { loadBody, readText, writeBody } from '../../features/recording/cassette/recorded-body.js';
import { openToRecord, type RecordingParts } from '../../features/recording/cassettes.js';
import { type HarImported, importHar, readHar } from '../../features/recording/har.js';
import type { Break } from './check.js';
import { createAnswerCheck } from '../../features/recording/drift/answer-check.js';

/** The folder of a new cassette, and the base URL of the API, below which entries are imported. */
interface HarTarget {
  readonly folder: string;
  readonly upstream: string | undefined;
}

/** Records the entries of a HAR file to a cassette. @throws MockError `RECORDING_INVALID`, `RECORDING_LOCKED`. */
export async function recordHar(
  file: string,
  { folder, upstream }: HarTarget,
  parts: RecordingParts,
): Promise<HarImported> {
  const entries = readHar(file);
  const { recorder, unlock } = openToRecord(folder, { upstream: upstream ?? '' }, { parts, replaces: false });
  const imported = await importHar(entries, { ...parts, recorder, upstream });
  await recorder.settle();
  unlock();
  return imported;
}

/** The answers of a cassette that break the contract. */
export function findRecordedBreaks(folder: string, { contract, validators }: RecordingParts): readonly Break[] {
  const check = createAnswerCheck(validators);
  const { exchanges } = loadCassette(folder);
  return exchanges.flatMap((exchange): readonly Break[] => {
    const { file, request, response } = exchange;
    const about = { at: file, stub: `${request.method} ${request.path}` };
    const operation = contract.operation(exchange.operation);
    if (operation === undefined) {
      const message = `no operation in the contract has the path ${request.path}`;
      return [{ ...about, code: 'PATH_UNKNOWN', in: 'path', pointer: '', message }];
    }
    if (response === undefined) return [];
    const bytes = writeBody(folder, response);
    const body =
      toDoubles(loadBody(folder, response).body) ?? (bytes === undefined ? undefined : (readText(bytes) ?? ''));
    const violations = check(operation, { status: response.status, headers: response.headers, body });
    return violations.map(({ code, in: place, pointer, message }) => {
      return { ...about, operation: operation.id, code, in: place, pointer, message };
    });
  });
}
