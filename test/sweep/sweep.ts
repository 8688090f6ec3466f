import type { Mock } from '../../src/index.js';
import type { Operation } from '../../src/contract/operations/operation.js';
import { findResponse } from '../../src/contract/operations/responses.js';
import { findMedia } from '../../src/contract/media-type.js';
import { type BrokenDraft, breakRequest } from '../../src/tools/verify/mistakes.js';
import { draftRequest, type RequestDraft, toRequest } from '../../src/features/inspector/sample-request.js';
import { openMock, readSchemas, type SweepOptions } from './open-mock.js';
import { createSecondCheck, type SecondCheck } from './second-validator.js';

/** The result of a sweep over every operation of a document. */
export interface SweepReport {
  readonly operations: number;
  /** Operations whose minimal valid request got an invalid response, each with the reason. */
  readonly wrongAnswers: readonly string[];
  readonly brokenRequests: number;
  /** Invalid requests that were not refused, each with its mistake. */
  readonly accepted: readonly string[];
  /** Broken requests that are valid for another operation: without its query `/a#b` is `/a`. They are not counted. */
  readonly elsewhere: readonly string[];
  /** Requests of either kind that were answered 5xx although the contract declares other statuses. */
  readonly failures: readonly string[];
}

type Draft = { -readonly [Key in keyof SweepReport]: SweepReport[Key] extends number ? number : string[] };

/** Sends a valid request to every operation of a document, and one request for each simple mistake. */
export async function sweep(spec: string, options: SweepOptions = {}): Promise<SweepReport> {
  const mock = await openMock(spec, options);
  const { generator } = readSchemas(mock);
  const secondCheck = createSecondCheck(mock.contract);
  const report: Draft = {
    operations: 0,
    wrongAnswers: [],
    brokenRequests: 0,
    accepted: [],
    elsewhere: [],
    failures: [],
  };
  for (const operation of mock.contract.operations) {
    // `fetch` does not send it.
    if (operation.method === 'TRACE') continue;
    report.operations += 1;
    // Each operation starts with all items.
    mock.reset();
    const draft = draftRequest(mock.contract, generator, operation);
    await askRight(mock, draft, { report, secondCheck });
    for (const broken of breakRequest(mock.contract, draft)) await askWrong(mock, broken, report);
  }
  await mock.close();
  return report;
}

async function askRight(
  mock: Mock,
  draft: RequestDraft,
  { report, secondCheck }: { readonly report: Draft; readonly secondCheck: SecondCheck },
): Promise<void> {
  const { operation } = draft;
  const response = await mock.fetch(toRequest(draft));
  // Path keys that differ only in their fragment (`/a#b`) are the same path for a client: the first one is used.
  const answered = mock.contract.operation(mock.journal.last()?.operation ?? '') ?? operation;
  const wrong = await judge(answered, response, secondCheck);
  if (wrong !== undefined) report.wrongAnswers.push(`${operation.id}: ${wrong}`);
}

async function askWrong(mock: Mock, { mistake, draft }: BrokenDraft, report: Draft): Promise<void> {
  const { operation } = draft;
  const refusal = await mock.fetch(toRequest(draft));
  const label = `${operation.id} ${mistake}: ${refusal.status}`;
  await refusal.body?.cancel();
  if (refusal.status < 400 && mock.journal.last()?.operation !== operation.id) {
    report.elsewhere.push(label);
    return;
  }
  report.brokenRequests += 1;
  if (refusal.status >= 500) report.failures.push(label);
  else if (refusal.status < 400) report.accepted.push(label);
}

/** The reason why a response is invalid, or undefined. */
async function judge(operation: Operation, response: Response, secondCheck: SecondCheck): Promise<string | undefined> {
  const declared = findResponse(operation, response.status);
  const type = response.headers.get('content-type') ?? '';
  if (operation.responses.length === 0) return undefined;
  if (declared === undefined) return `status ${response.status} is not declared: ${await response.text()}`;
  const isSuccess = response.status < 400 || operation.responses.every(({ status }) => /^[45]/.test(status));
  if (!isSuccess) return `a valid request was answered ${response.status}: ${await response.text()}`;
  const isEmpty = operation.method === 'HEAD' || [204, 205, 304].includes(response.status);
  if (declared.content.length === 0 || isEmpty) {
    await response.body?.cancel();
    return undefined;
  }
  const media = findMedia(declared.content, type);
  if (media === undefined) return `media type "${type}" is not declared`;
  if (media.schema === undefined || !/[/+]json\b/.test(type)) {
    await response.arrayBuffer();
    return undefined;
  }
  const text = await response.text();
  try {
    const complaints = await secondCheck(media.schemaPointer, JSON.parse(text));
    return complaints.length === 0 ? undefined : `${complaints.slice(0, 3).join('; ')} in ${text.slice(0, 200)}`;
  } catch (error) {
    return `the second validator cannot read the schema: ${String(error).slice(0, 200)}`;
  }
}
