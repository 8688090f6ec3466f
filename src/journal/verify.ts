import { MockError, countOf, requireOptions } from '../base/errors.js';
import { describeInteraction, type Interaction, type InteractionTexts, type ToTexts } from './interaction.js';
import type { SessionJournal } from './journal.js';
import { listErrors } from '../schema/violation.js';

/** The checks of `verify`. */
export interface VerifyOptions {
  /** How often operations must have been called: exactly, or between two bounds. */
  readonly calls?: Readonly<Record<string, number | CallBounds>>;
  /** Selects interactions that may break the contract, such as a request that is wrong on purpose. */
  readonly ignore?: (interaction: Interaction) => boolean;
  /**
   * Whether members of bodies, parameters of queries, and headers with nearly the name of a declared one, are findings where the operation
   * does not declare them: a typo in an optional name is refused by no service. `report`: they are only in the journal and in the log. Default `fail`.
   */
  readonly undeclared?: 'fail' | 'report';
}

/** How often an operation may be called; both bounds are inclusive. */
export interface CallBounds {
  /** The smallest number of calls; default 0. */
  readonly atLeast?: number;
  /** The largest number of calls; default: no limit. */
  readonly atMost?: number;
}

/** One finding of `verify`. */
export interface Finding {
  /** Undefined for a count, an unused rule or a missing recording. */
  readonly interaction: Interaction | undefined;
  /** The URL of the interaction, without its secrets. */
  readonly url?: string;
  readonly message: string;
  /** The suggested fix, where it is not the usual one. */
  readonly hint?: string;
}

/** Every violation of the client and every answer that the mock could not give, then every wrong count. */
export function findUnexpected(
  record: Pick<SessionJournal, 'dropped' | 'interactions' | 'toTexts'>,
  options: VerifyOptions,
): readonly Finding[] {
  const unexpected = record.interactions.flatMap((interaction) =>
    options.ignore?.(interaction) === true ? [] : describeUnexpected(interaction, record.toTexts, options),
  );
  const counts = Object.entries(options.calls ?? {}).flatMap(([operation, wanted]) => {
    const given = record.interactions.filter((interaction) => interaction.operation === operation).length;
    const message = checkCount(`${operation} was called ${times(given)}`, given, wanted);
    if (message === undefined) return [];
    const lost = record.dropped === 0 ? '' : ` (${record.dropped} older interactions were dropped)`;
    return [{ interaction: undefined, message: message + lost }];
  });
  return [...unexpected, ...counts];
}

/** The error of `verify`. */
export interface VerifyError extends MockError {
  /** The first interaction with a finding. */
  readonly interaction: Interaction | undefined;
}

/** The error for a list of findings: each on its own line, below its request. */
export function toVerifyError(findings: readonly Finding[]): VerifyError {
  let shown: Interaction | undefined;
  const lines = findings.flatMap((finding) => {
    const { interaction, url = '', message } = finding;
    if (interaction === undefined) return [`  ${message}`];
    const heading = interaction === shown ? [] : [`  ${describeInteraction(interaction, url)}`];
    shown = interaction;
    return [...heading, `      ${message}`];
  });
  const broken = findings.some((finding) => finding.interaction !== undefined);
  const count = countOf(findings.length, 'finding');
  const usual = broken
    ? 'fix the request, or exclude it with verify({ ignore }) if it is wrong on purpose'
    : 'see mock.journal.interactions for the calls that were made';
  const hint = [...new Set(findings.map((finding) => finding.hint ?? usual))].join('; ');
  const error = new MockError('VERIFY_FAILED', `verification failed with ${count}:\n${lines.join('\n')}`, { hint });
  const value = findings.find(({ interaction }) => interaction !== undefined)?.interaction;
  return Object.defineProperty(error, 'interaction', { value }) as VerifyError;
}

function describeUnexpected(interaction: Interaction, toTexts: ToTexts, options: VerifyOptions): readonly Finding[] {
  // Most interactions have nothing to report: their texts are not needed.
  const isUnexpected = listUnexpected(interaction, interaction).length > 0;
  const isTypo = !isUnexpected && options.undeclared !== 'report' && listUndeclared(interaction).length > 0;
  if (!isUnexpected && !isTypo) return [];
  const texts = toTexts(interaction);
  const found = isUnexpected ? listUnexpected(interaction, texts) : listUndeclared(texts);
  const hint = isTypo ? UNDECLARED_HINT : isOwnFailure(interaction) ? OWN_HINT : undefined;
  return found.map((message) => ({ interaction, url: texts.url, message, hint }));
}

/** What an accepted request has and its operation does not declare. */
function listUndeclared({ violations }: Pick<InteractionTexts, 'violations'>): readonly string[] {
  return violations.flatMap(({ by, code, message }) =>
    by === 'client' && UNDECLARED.has(code) ? [`${code}  ${message}`] : [],
  );
}

/** The notes about a name that is not declared, such as an optional one with a typo. */
const UNDECLARED: ReadonlySet<string> = new Set(['PARAMETER_UNDECLARED', 'PROPERTY_UNDECLARED']);

const UNDECLARED_HINT = "correct the name, or pass verify({ undeclared: 'report' }) if the document lacks it";

function listUnexpected(interaction: Interaction, texts: Omit<InteractionTexts, 'url'>): readonly string[] {
  const { status, from } = interaction.answer;
  if (interaction.operation === undefined && UPSTREAM.test(from)) {
    // Other answers come from an endpoint that the contract lacks.
    const isAbsent = status === 404 || status === 405 || status === 501;
    return isAbsent
      ? [`neither the contract nor the upstream has this operation: the upstream answered ${status}`]
      : [];
  }
  if (interaction.operation === undefined && status >= 400) {
    // 404 and 405 answer a path or method that the contract does not have; an unknown session gets another status.
    const what = status === 404 || status === 405 ? 'no operation of the contract matches' : `refused with ${status}`;
    return [[what, ...texts.trace].join('; ')];
  }
  const isFailure = isOwnFailure(interaction);
  return listErrors(texts.violations).flatMap(({ by, code, message }) => {
    if (by === 'client') return [`${code}  ${message}`];
    return isFailure && by === 'mock' ? [`${code}  ${message}${describeOrigin(texts.trace)}`] : [];
  });
}

/** Whether a handler failed, or a source answered what breaks the contract, so that the client got a 500 of the mock instead. */
function isOwnFailure({ answer }: Interaction): boolean {
  return answer.from === 'verify' || answer.violations.some(({ code }) => code === 'MOCK_FAILED');
}

/** Where in the code of the user, or in which source, the mistake is; the trace has it. */
function describeOrigin(trace: readonly string[]): string {
  const [, frame] = /^handler: .*\n\s+(at .+)$/m.exec(trace.join('\n')) ?? [];
  const [, source] = /^(\S+ answered \d+), which breaks/.exec(trace.at(-1) ?? '') ?? [];
  return frame === undefined ? (source === undefined ? '' : ` (${source})`) : ` (${frame})`;
}

const OWN_HINT = 'correct the handler, scenario or fixture that answered';

/** The sources of answers of the upstream, also recorded ones. */
const UPSTREAM = /^(?:forward$|replay:(?!miss$))/;

/** Describes a wrong count; undefined where the count is as wanted. @param given - `listPets was called twice`. */
export function checkCount(given: string, count: number, wanted: number | CallBounds): string | undefined {
  if (typeof wanted === 'number') return count === wanted ? undefined : `${given}, not ${times(wanted)}`;
  requireOptions('a number of calls', wanted, ['atLeast', 'atMost']);
  const { atLeast = 0, atMost = Infinity } = wanted;
  if (count < atLeast) return `${given}, not at least ${times(atLeast)}`;
  return count > atMost ? `${given}, not at most ${times(atMost)}` : undefined;
}

/** `once`, `3 times`. */
export function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
