import { type Command, Option } from 'commander';
import { collect, type ListenFlags, type Output, readNumber, withListening } from '../flags.js';

/** Adds `record` and `replay` to the program. */
export function addRecordAndReplay(program: Command, output: Output): void {
  withServer(program.command('record').argument('[spec]', 'an OpenAPI document: file or URL'))
    .description('record a real server: a validating proxy that writes every exchange, without its secrets')
    .requiredOption('--upstream <url>', 'base URL of the real server, the only one that is asked')
    .option('--cassette <name>', 'name of the recording', 'default')
    .addOption(
      new Option('--mode <mode>', 'begin the cassette anew, or add what it lacks')
        .choices(['record-all', 'record-missing'])
        .default('record-all'),
    )
    .option('--header <line>', '"name: value" to send to the upstream; may be repeated', collect)
    .option('--redact-header <name>', 'a further header that is a secret; may be repeated', collect)
    .option('--redact-key <name>', 'a further member, field or parameter that is a secret; may be repeated', collect)
    .option('--redact-pattern <expression>', 'a further form of secrets; may be repeated', collect)
    .option('--redact-env <name>', 'a variable whose value is a secret; may be repeated', collect)
    .option('--keep <name>', 'a header or member that is no secret; may be repeated', collect)
    .option('--ignore-body <pointer>', 'a member that does not count on replay; may be repeated', collect)
    .option('--ignore-query <name>', 'a query parameter that does not count on replay; may be repeated', collect)
    .option('--match-header <name>', 'a header that counts on replay; may be repeated', collect)
    .addOption(new Option('--max-age <days>', 'days after which the recording counts as old').argParser(readNumber))
    .addOption(new Option('--timeout <ms>', 'how long the upstream may be silent').argParser(readNumber))
    .option('--insecure', 'do not check the certificate of the upstream', false)
    .action(async (spec: string | undefined, flags: RecordFlags) => {
      const { runRecord } = await import('./record.js');
      process.exitCode = await runRecord({
        ...readCommon(spec, flags),
        upstream: flags.upstream,
        mode: flags.mode,
        headers: flags.header ?? [],
        redact: {
          headers: flags.redactHeader ?? [],
          keys: flags.redactKey ?? [],
          patterns: flags.redactPattern ?? [],
          env: flags.redactEnv ?? [],
          keep: flags.keep ?? [],
        },
        match: {
          ignoreBody: flags.ignoreBody ?? [],
          ignoreQuery: flags.ignoreQuery ?? [],
          headers: flags.matchHeader ?? [],
        },
        maxAge: flags.maxAge,
        timeoutMs: flags.timeout,
        insecure: flags.insecure,
        ...output,
      });
    });
  withServer(program.command('replay').argument('[spec]', 'an OpenAPI document: file or URL'))
    .description('answer from a recording alone; what it lacks is refused with 501')
    .option('--cassette <name>', 'name of the recording', 'default')
    .addOption(new Option('--expired <what>', 'what an old recording does').choices(['warn', 'fail']).default('warn'))
    .addOption(new Option('--pace <pace>', 'speed of streams').choices(['none', 'recorded']).default('none'))
    .action(async (spec: string | undefined, flags: ReplayFlags) => {
      const { runReplay } = await import('./replay.js');
      const { expired, pace } = flags;
      process.exitCode = await runReplay({ ...readCommon(spec, flags), expired, pace, ...output });
    });
}

function withServer(command: Command): Command {
  return withListening(command)
    .option('--recordings <folder>', 'the folder of the recordings', 'fixtures/recordings')
    .option('--owner <operation=owner>', 'mock, replay, forward or forward-then-mock; may be repeated', collect);
}

interface CommonFlags extends ListenFlags {
  readonly cassette: string;
  readonly recordings: string;
  readonly owner?: readonly string[];
}

interface RecordFlags extends CommonFlags {
  readonly upstream: string;
  readonly mode: 'record-all' | 'record-missing';
  readonly header?: readonly string[];
  readonly redactHeader?: readonly string[];
  readonly redactKey?: readonly string[];
  readonly redactPattern?: readonly string[];
  readonly redactEnv?: readonly string[];
  readonly keep?: readonly string[];
  readonly ignoreBody?: readonly string[];
  readonly ignoreQuery?: readonly string[];
  readonly matchHeader?: readonly string[];
  readonly maxAge?: number;
  readonly timeout?: number;
  readonly insecure: boolean;
}

interface ReplayFlags extends CommonFlags {
  readonly expired: 'warn' | 'fail';
  readonly pace: 'recorded' | 'none';
}

function readCommon(spec: string | undefined, flags: CommonFlags) {
  const { port, host, cassette, recordings, owner, json, quiet } = flags;
  return { spec, port, host, cassette, recordings, owners: owner ?? [], json, quiet };
}
