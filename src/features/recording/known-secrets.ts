import { mapValues } from '../../base/json.js';
import { MockError } from '../../base/errors.js';
import type { WatchedSecret } from './redaction/redact.js';
import type { RedactionOptions } from './redaction/secret-rules.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Options with values that are secret. */
interface SecretOptions {
  readonly redact?: RedactionOptions;
  readonly upstreamHeaders?: Readonly<Record<string, string>>;
}

/** Header fields with the values of environment variables in place of `env:NAME`. @throws MockError `OPTION_INVALID` for an unset one. */
export function resolveHeaders(
  headers: Readonly<Record<string, string>>,
  environment: Environment,
): Readonly<Record<string, string>> {
  return mapValues(headers, (value, header) =>
    value.replace(/(?<=^|\s)env:(\w+)$/, (_match, name: string) => {
      const found = environment[name] ?? '';
      if (found !== '') return found;
      const reason = `the header "${header}" needs the environment variable ${name}, which is not set`;
      throw new MockError('OPTION_INVALID', reason);
    }),
  );
}

/** Warnings about environment variables that are to be redacted but are not set. */
export function listUnset({ redact }: SecretOptions, environment: Environment): string[] {
  const unset = (redact?.env ?? []).filter((name) => (environment[name] ?? '') === '');
  return unset.map((name) => `redact.env contains ${name}, which is not set: its value cannot be redacted`);
}

/** The secrets whose values are known: environment variables and the credentials for the upstream. */
export function readWatched(options: SecretOptions, environment: Environment): readonly WatchedSecret[] {
  const named = (options.redact?.env ?? []).map((name) => ({ rule: `env:${name}`, value: environment[name] ?? '' }));
  const own = Object.entries(options.upstreamHeaders ?? {}).map(([name, value]) => ({
    rule: `own:${name.toLowerCase()}`,
    // The scheme is not secret.
    value: value.replace(/^[A-Za-z][\w-]* +/, ''),
  }));
  return [...named, ...own].filter(({ value }) => value.length >= 4);
}
