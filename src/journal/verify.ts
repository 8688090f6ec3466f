import { MockError } from '../errors.js';
import { describeInteraction, type Interaction } from './interaction.js';

/** What a journal is held against besides the contract. */
export interface VerifyOptions {
  /** How often operations must have been called: exactly, or between two bounds. */
  readonly calls?: Readonly<Record<string, number | CallBounds>>;
  /** Interactions that may break the contract: a test that sends a bad request on purpose leaves it out here. */
  readonly ignore?: (interaction: Interaction) => boolean;
}

/** How often an operation may be called; both bounds included. */
interface CallBounds {
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** What verification looks at. */
interface JournalRecord {
  readonly interactions: readonly Interaction[];
  readonly dropped: number;
}

/** One thing that verification found. */
export interface Finding {
  /** Undefined for a count. */
  readonly interaction: Interaction | undefined;
  readonly message: string;
}

/** @throws MockError `VERIFY_FAILED` that lists every finding and says what to do. */
export function verifyInteractions(record: JournalRecord, options: VerifyOptions): void {
  const findings = findDepartures(record, options);
  if (findings.length === 0) return;
  throw toVerifyError(findings);
}

/** Every departure of the client from the contract, then every count that is not as it should be. */
export function findDepartures(record: JournalRecord, options: VerifyOptions): readonly Finding[] {
  const departures = record.interactions.flatMap((interaction) =>
    options.ignore?.(interaction) === true
      ? []
      : listDepartures(interaction).map((message) => ({ interaction, message })),
  );
  const counts = Object.entries(options.calls ?? {}).flatMap(([operation, wanted]) => {
    const given = record.interactions.filter((interaction) => interaction.operation === operation).length;
    const message = checkCount(`${operation} was called ${times(given)}`, given, wanted);
    if (message === undefined) return [];
    const lost = record.dropped === 0 ? '' : ` (${record.dropped} older interactions were dropped)`;
    return [{ interaction: undefined, message: message + lost }];
  });
  return [...departures, ...counts];
}

/** The error for a list of findings: each on a line of its own, under the request it speaks of. */
export function toVerifyError(findings: readonly Finding[]): MockError {
  let shown: Interaction | undefined;
  const lines = findings.flatMap((finding) => {
    const heading = finding.interaction !== undefined && finding.interaction !== shown;
    shown = finding.interaction;
    const indent = finding.interaction === undefined ? '  ' : '      ';
    return [
      ...(heading && finding.interaction !== undefined ? [`  ${describeInteraction(finding.interaction)}`] : []),
      `${indent}${finding.message}`,
    ];
  });
  const broken = findings.some((finding) => finding.interaction !== undefined);
  const message = `${findings.length === 1 ? '1 thing is' : `${findings.length} things are`} not as the contract or the test says:\n${lines.join('\n')}`;
  const hint = broken
    ? 'make the client send what the contract asks for; a request that is wrong on purpose goes into { ignore }'
    : 'the journal shows what was called: journal.interactions';
  return new MockError('VERIFY_FAILED', message, { hint });
}

function listDepartures(interaction: Interaction): readonly string[] {
  const { status } = interaction.answer;
  if (interaction.operation === undefined && status >= 400) {
    // 404 and 405 are the answers to a path or method the contract lacks; a session that cannot be had is refused otherwise.
    return [status === 404 || status === 405 ? 'the contract has no such operation' : `it was refused with ${status}`];
  }
  return interaction.violations
    .filter((violation) => violation.by === 'client' && violation.severity === 'error')
    .map((violation) => `${violation.code}  ${violation.message}`);
}

function checkCount(given: string, count: number, wanted: number | CallBounds): string | undefined {
  if (typeof wanted === 'number') return count === wanted ? undefined : `${given}, not ${times(wanted)}`;
  const { atLeast = 0, atMost = Infinity } = wanted;
  if (count < atLeast) return `${given}, not at least ${times(atLeast)}`;
  return count > atMost ? `${given}, not at most ${times(atMost)}` : undefined;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
