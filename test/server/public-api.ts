import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

/** One declaration of an emitted `.d.ts` file. */
export interface Declaration {
  readonly file: string;
  readonly name: string;
  readonly kind: 'interface' | 'type' | 'function' | 'class' | 'const';
  /** The declaration without comments. */
  readonly text: string;
  /** The doc comment without its markers. */
  readonly comment: string;
  readonly members: readonly Member[];
}

/** A member of an interface or a class. */
export interface Member {
  readonly name: string;
  readonly isMethod: boolean;
  readonly comment: string;
}

/** What `index.d.ts` exports: public name -> file and name of the declaration. */
export type Exports = ReadonlyMap<string, { readonly file: string; readonly name: string }>;

interface Source {
  readonly declarations: ReadonlyMap<string, Declaration>;
  /** Imported name -> file. */
  readonly imports: ReadonlyMap<string, string>;
}

const START = /^(?:export )?(?:declare )?(?<kind>interface|type|function|class|const) (?<name>\w+)/u;

/** The declarations of `dist/`, read when they are asked for; `npm run build` writes them. */
export function openDeclarations(root = 'dist'): { read(file: string): Source; exports: Exports } {
  const sources = new Map<string, Source>();
  const read = (file: string): Source => {
    const known = sources.get(file) ?? readSource(file, readFileSync(join(root, file), 'utf8'));
    sources.set(file, known);
    return known;
  };
  return { read, exports: readExports(readFileSync(join(root, 'index.d.ts'), 'utf8'), read) };
}

/** Public types that no other module can name: declarations that an exported one refers to, and that are not exported. */
export function findHidden(read: (file: string) => Source, exports: Exports): readonly string[] {
  const named = new Set([...exports.values()].map(({ file, name }) => `${file}#${name}`));
  const queue = [...exports.values()];
  const seen = new Set<string>();
  const hidden = new Set<string>();
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const key = `${next.file}#${next.name}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const { declarations, imports } = read(next.file);
    const declaration = declarations.get(next.name);
    if (declaration === undefined) continue;
    if (!named.has(key)) hidden.add(key);
    for (const name of readTypeNames(declaration.text)) {
      if (name === next.name) continue;
      if (declarations.has(name)) queue.push({ file: next.file, name });
      else if (imports.has(name)) queue.push({ file: imports.get(name) ?? '', name });
    }
  }
  return [...hidden].toSorted();
}

/** Names in a declaration that may be types; `typeof X` names a value. */
function readTypeNames(text: string): readonly string[] {
  return [...text.replaceAll(/'[^']*'/gu, "''").matchAll(/(?<!typeof )\b[A-Z]\w*\b(?!\??:)/gu)].map(([name]) => name);
}

function readExports(text: string, read: (file: string) => Source): Exports {
  const found = new Map<string, { readonly file: string; readonly name: string }>();
  for (const { groups } of text.matchAll(/^export (?:type )?\* from '(?<from>[^']+)';/gmu)) {
    const file = toDeclarationFile('index.d.ts', groups?.['from'] ?? '');
    for (const { name, text: declared } of read(file).declarations.values()) {
      if (declared.startsWith('export ')) found.set(name, { file, name });
    }
  }
  for (const { groups } of text.matchAll(/^export (?:type )?\{(?<names>[^}]*)\} from '(?<from>[^']+)';/gmu)) {
    const file = toDeclarationFile('index.d.ts', groups?.['from'] ?? '');
    for (const entry of (groups?.['names'] ?? '').split(',')) {
      const [name = '', alias] = entry
        .trim()
        .replace(/^type /u, '')
        .split(' as ');
      if (name !== '') found.set(alias ?? name, { file, name });
    }
  }
  return found;
}

function readSource(file: string, text: string): Source {
  const imports = new Map<string, string>();
  for (const { groups } of text.matchAll(/^import (?:type )?\{(?<names>[^}]*)\} from '(?<from>\.[^']+)';/gmu)) {
    for (const entry of (groups?.['names'] ?? '').split(',')) {
      const name =
        entry
          .trim()
          .replace(/^type /u, '')
          .split(' as ')
          .at(-1) ?? '';
      imports.set(name, toDeclarationFile(file, groups?.['from'] ?? ''));
    }
  }
  const declarations = new Map<string, Declaration>();
  let comment = '';
  for (const block of readBlocks(text)) {
    if (block.startsWith('/**')) {
      comment = readComment(block);
      continue;
    }
    const { kind, name } = START.exec(block)?.groups ?? {};
    const before = declarations.get(name ?? '');
    if (kind !== undefined && name !== undefined) {
      const code = block.replaceAll(/\/\*\*[\s\S]*?\*\//gu, '');
      declarations.set(name, {
        file,
        name,
        kind: kind as Declaration['kind'],
        // Overloads are one declaration.
        text: (before?.text ?? '') + code,
        comment: before?.comment ?? comment,
        members: kind === 'interface' || kind === 'class' ? readMembers(block) : [],
      });
    }
    comment = '';
  }
  return { declarations, imports };
}

function toDeclarationFile(from: string, path: string): string {
  return join(dirname(from), path.replace(/\.js$/u, '.d.ts'));
}

/** Comments and statements at the top level, in order. */
function readBlocks(text: string): readonly string[] {
  return [...text.matchAll(/^\/\*\*[\s\S]*?\*\/|^[a-z][\s\S]*?(?=^\/\*\*|^[a-z]|(?![\s\S]))/gmu)].map(
    ([block]) => block,
  );
}

function readComment(block: string): string {
  return block
    .replace(/^\s*\/\*\*/u, '')
    .replace(/\*\/\s*$/u, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/u, ''))
    .join('\n')
    .trim();
}

function readMembers(block: string): readonly Member[] {
  const lines =
    /^ {4}(?:(?<comment>\/\*\*[\s\S]*?\*\/)\n {4})?(?:override )?(?:readonly )?(?<name>\[[\w.]+\]|\w+)\??(?<after>[(<:]|: )/gmu;
  const members = new Map<string, Member>();
  for (const { groups } of block.matchAll(lines)) {
    if (groups?.['name'] === 'constructor') continue;
    const { name = '', comment = '', after = '' } = groups ?? {};
    if (!members.has(name))
      members.set(name, { name, isMethod: !after.startsWith(':'), comment: readComment(comment) });
  }
  return [...members.values()];
}
