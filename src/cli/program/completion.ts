import { Argument, Command, type Option } from 'commander';
import type { Output } from '../output.js';

/** One command line that can be completed: `serve`, or `recordings drift`. */
interface CommandNode {
  /** The words before the flags; empty for `vouch` itself. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly options: readonly Option[];
  /** The values of the first argument, if they are known. */
  readonly values: readonly string[];
  readonly children: readonly CommandNode[];
}

type WriteScript = (root: CommandNode) => string;

const SHELLS: Readonly<Record<string, WriteScript>> = { bash: writeBash, zsh: writeZsh, fish: writeFish };

/** Commands by name, with a summary; the others are loaded to list their flags. */
type Commands = Readonly<
  Record<
    string,
    readonly [
      summary: string,
      load: () => Promise<{ readonly defineCommand: (command: Command, output: Output) => void }>,
    ]
  >
>;

/** Creates `vouch completion` for a table of commands. */
export function createCompletion(commands: Commands): {
  readonly defineCommand: (command: Command, output: Output) => void;
} {
  const loadRoot = async (): Promise<CommandNode> => {
    const root = new Command('vouch').version('');
    for (const [name, [summary, load]] of Object.entries(commands)) {
      const child = root.command(name).summary(summary);
      (await load()).defineCommand(child, { write: () => undefined, writeError: () => undefined });
    }
    return readNode(root, []);
  };
  return {
    defineCommand: (command, { write }) => {
      command
        .addArgument(new Argument('<shell>', 'shell to write the script for').choices(Object.keys(SHELLS)))
        .action(async (shell: string) => {
          const writeScript = SHELLS[shell];
          if (writeScript !== undefined) write(writeScript(await loadRoot()).trimEnd());
        });
    },
  };
}

function readNode(command: Command, path: readonly string[]): CommandNode {
  const help = command.createHelp();
  const children = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  return {
    path,
    summary: command.summary() || command.description(),
    options: help.visibleOptions(command),
    values: command.registeredArguments[0]?.argChoices ?? [],
    children: children.map((child) => readNode(child, [...path, child.name()])),
  };
}

/** A node with all that are below it. */
function listNodes(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.children.flatMap(listNodes)];
}

function readWordsOf({ children, values, options }: CommandNode): readonly string[] {
  const flags = options.flatMap(({ short, long }) => [short, long]).filter((flag) => flag !== undefined);
  return [...children.map(({ path }) => path.at(-1) ?? ''), ...values, ...flags];
}

/** Whether an argument of a command can be a file. */
function takesFiles({ path, values, children }: CommandNode): boolean {
  return path.length > 0 && values.length === 0 && children.length === 0;
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

/** The flags of an option, as a pattern of `case`. */
function toPattern({ short, long }: Option): string {
  return [short, long].filter((flag) => flag !== undefined).join('|');
}

/** Text in single quotes, for each of the three shells. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The lines of `case` that find out which command is completed; `$1` and `$2` are its first two words. */
function writePaths(root: CommandNode): readonly string[] {
  return root.children.flatMap(({ path: [name = ''], children }) => [
    ...children.map((child) => `    ${quote(child.path.join(' '))}) command=${quote(child.path.join(' '))} ;;`),
    `    ${quote(`${name} `)}*) command=${quote(name)} ;;`,
  ]);
}

function writeBash(root: CommandNode): string {
  const values = listNodes(root).flatMap((node) => {
    const { path, options } = node;
    const lines = options.filter(takesValue).map((option) => {
      const choices = option.argChoices?.join(' ');
      const reply = choices === undefined ? 'compgen -f -- "$current"' : `compgen -W ${quote(choices)} -- "$current"`;
      return `        ${toPattern(option)}) mapfile -t COMPREPLY < <(${reply}); return ;;`;
    });
    return [
      `    ${quote(path.join(' '))})`,
      '      case "$previous" in',
      ...lines,
      '      esac',
      `      words=${quote(readWordsOf(node).join(' '))} files=${takesFiles(node) ? '1' : ''} ;;`,
    ];
  });
  return `# Completion of vouch for bash: source <(vouch completion bash)
_vouch() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command='' words='' files=''
  COMPREPLY=()
  [ "$COMP_CWORD" -eq 1 ] || case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${writePaths(root).join('\n')}
  esac
  case "$command" in
${values.join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; [ -z "$files" ] || compgen -f -- "$current")
}
complete -o filenames -F _vouch vouch
`;
}

/** An item of `_describe`: colons in it are escaped. */
function toItem(name: string, description: string): string {
  return quote(`${name.replaceAll(':', String.raw`\:`)}:${description.replaceAll(':', String.raw`\:`)}`);
}

function writeZsh(root: CommandNode): string {
  const cases = listNodes(root).flatMap((node) => {
    const items = [
      ...node.children.map((child) => toItem(child.path.at(-1) ?? '', child.summary)),
      ...node.values.map((value) => toItem(value, '')),
      ...node.options.flatMap((option) =>
        [option.short, option.long].flatMap((flag) => (flag === undefined ? [] : [toItem(flag, option.description)])),
      ),
    ];
    const values = node.options.filter(takesValue).map((option) => {
      const { argChoices } = option;
      const action = argChoices === undefined ? '_files' : `compadd -- ${argChoices.join(' ')}`;
      return `        ${toPattern(option)}) ${action}; return ;;`;
    });
    return [
      `    ${quote(node.path.join(' '))})`,
      '      case "$previous" in',
      ...values,
      '      esac',
      '      items=(',
      ...items.map((item) => `        ${item}`),
      `      ); files=${takesFiles(node) ? '1' : ''} ;;`,
    ];
  });
  return `#compdef vouch
# Completion of vouch for zsh: vouch completion zsh > a folder of $fpath, as the file _vouch
_vouch() {
  local command='' files='' previous=\${words[CURRENT - 1]}
  local -a items
  (( CURRENT == 2 )) || case "\${words[2]} \${words[3]}" in
${writePaths(root).join('\n')}
  esac
  case "$command" in
${cases.join('\n')}
  esac
  _describe vouch items
  [[ -z $files ]] || _files
}
(( $+functions[compdef] )) && compdef _vouch vouch
`;
}

function writeFish(root: CommandNode): string {
  const lines = listNodes(root).flatMap((node) => {
    const seen = node.path.map((word) => `__fish_seen_subcommand_from ${word}`);
    const names = node.children.map((child) => child.path.at(-1) ?? '');
    const unseen = names.length === 0 ? [] : [`not __fish_seen_subcommand_from ${names.join(' ')}`];
    const condition = `-n ${quote([...seen, ...unseen].join('; and '))}`;
    const files = takesFiles(node) ? '' : ' -f';
    return [
      ...node.children.map(
        (child) => `complete -c vouch -f ${condition} -a ${child.path.at(-1) ?? ''} -d ${quote(child.summary)}`,
      ),
      ...(node.values.length === 0
        ? []
        : [`complete -c vouch${files} ${condition} -a ${quote(node.values.join(' '))}`]),
      ...node.options.map((option) => {
        const { short, long, argChoices, description } = option;
        const flags = [short && `-s ${short.slice(1)}`, long && `-l ${long.slice(2)}`].filter(Boolean).join(' ');
        const value = argChoices === undefined ? ' -r -F' : ` -x -a ${quote(argChoices.join(' '))}`;
        return `complete -c vouch ${condition} ${flags}${takesValue(option) ? value : ''} -d ${quote(description)}`;
      }),
    ];
  });
  return `# Completion of vouch for fish: vouch completion fish > ~/.config/fish/completions/vouch.fish\n${lines.join('\n')}\n`;
}
