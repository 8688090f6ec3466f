import { Argument, type Command } from 'commander';
import type { Output } from '../output.js';

/** Scripts by shell. They complete with the words that `vouch __complete` prints (see `listWords`), and with files where there are none. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_vouch() {
  mapfile -t COMPREPLY < <(vouch __complete "\${COMP_WORDS[@]:1:COMP_CWORD}")
}
complete -o default -F _vouch vouch`,
  zsh: `#compdef vouch
local -a found=(\${(f)"$(vouch __complete "\${(@)words[2,CURRENT]}")"})
if (( $#found )); then compadd -- $found; else _files; fi`,
  fish: `function __vouch_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  set -l found (vouch __complete $before[2..] "$current")
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c vouch -f -a '(__vouch_complete)'`,
};

/** Defines `vouch completion`. */
export function defineCommand(command: Command, { write }: Output): void {
  command
    .addArgument(new Argument('<shell>', 'shell to write the script for').choices(Object.keys(SCRIPTS)))
    .action((shell: string) => write(SCRIPTS[shell] ?? ''));
}

/** The words that can be the last one of a command line: values of a flag, flags after a hyphen, otherwise commands or values. */
export function listWords(program: Command, words: readonly string[]): readonly string[] {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const command = before.reduce((above, word) => above.commands.find((each) => each.name() === word) ?? above, program);
  const options = command.options.filter(({ hidden }) => !hidden);
  const given = options.find(({ short, long }) => [short, long].includes(before.at(-1)));
  const flags = options.flatMap(({ short, long }) => [short ?? [], long ?? []].flat());
  const found =
    given?.required === true || given?.optional === true
      ? (given.argChoices ?? [])
      : current.startsWith('-')
        ? flags
        : [...command.commands.map((each) => each.name()), ...(command.registeredArguments[0]?.argChoices ?? [])];
  return found.filter((word) => word.startsWith(current));
}
