import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

/** Path -> text of every page that readers of the repository or of the package see. */
export function readPages(): ReadonlyMap<string, string> {
  const docs = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .map((name) => join('docs', name.replaceAll('\\', '/')))
    .filter((path) => path.endsWith('.md'));
  const others = readdirSync('.').filter((name) => name.endsWith('.md'));
  return new Map(
    [...others, 'examples/README.md', ...docs].toSorted().map((path) => [path, readFileSync(path, 'utf8')]),
  );
}

/** The fragments that a page has, as GitHub makes them from its headings, and its own anchors. */
export function readAnchors(page: string): ReadonlySet<string> {
  const text = page.replaceAll(/^ *```[\s\S]*?^ *```$/gmu, '');
  const counts = new Map<string, number>();
  const anchors = [...text.matchAll(/^#{1,6} +(?<title>.+)$/gmu)].map((match) => {
    const slug = (match.groups?.['title'] ?? '')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/gu, '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set([...anchors, ...[...text.matchAll(/<a (?:id|name)="([^"]+)"/gu)].map((match) => match[1] ?? '')]);
}

/** The links of a page to files and fragments of the repository, images included. */
export function readLinks(page: string): readonly string[] {
  const text = page.replaceAll(/^ *```[\s\S]*?^ *```$/gmu, '').replaceAll(/`[^`\n]*`/gu, '``');
  return [...text.matchAll(/\]\((?<link>[^)\s]+)\)/gu)]
    .map((match) => match.groups?.['link'] ?? '')
    .filter((link) => !/^[a-z]+:/u.test(link));
}

/** The links of a page whose file or fragment does not exist. */
export function findBroken(path: string, pages: ReadonlyMap<string, string>): readonly string[] {
  return readLinks(pages.get(path) ?? '').filter((link) => {
    const [file = '', fragment] = link.split('#');
    const target = file === '' ? path : join(dirname(path), decodeURI(file));
    if (!existsSync(target)) return true;
    if (fragment === undefined) return false;
    const page = pages.get(target);
    return page !== undefined && !readAnchors(page).has(decodeURI(fragment));
  });
}
