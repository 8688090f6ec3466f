import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { Answer } from '../../http/answer.js';
import { negotiate } from '../../http/response/negotiate.js';
import { escapeMarkup } from '../../base/text.js';
import { toPackageUrl } from '../../base/package-folder.js';
import { host } from '../../base/platform.js';
import { answerProblem, PLAIN_ANSWER } from '../../server/control/answer.js';

/** The page of the inspector: its path in the package. */
const PAGE = 'dist/inspector.html.gz';

/** Headers that forbid, on every page, what its content security policy cannot. */
const SAFE_HEADERS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

/** Answers with the page of the inspector, or with a redirect if the path has no slash at its end. @param url - As it was sent. */
export async function answerInspector(url: string): Promise<Answer> {
  const [path = '', ...query] = url.split('?');
  if (!path.endsWith('/')) {
    // Relative, because a proxy or another app may serve the control API below another path.
    const location = [`${path.slice(path.lastIndexOf('/') + 1)}/`, ...query].join('?');
    return { ...PLAIN_ANSWER, status: 308, headers: { location }, body: undefined, mediaType: undefined };
  }
  const page = await readFile(toPackageUrl(PAGE)).catch(() => undefined);
  if (page === undefined) {
    const message = `the page of the inspector, ${PAGE}, is missing`;
    return answerProblem({ status: 501, code: 'CONTROL_UNKNOWN', message, hint: 'build it: npm run build' });
  }
  return answerPage(gunzipSync(page).toString());
}

/** The page that a browser gets at the root of a mock: a link to the inspector. @param path - Of the request, which the link begins with. */
export function answerWelcome(accept: string | null, path: string, prefix: string): Answer | undefined {
  // A client of an API that accepts anything is not a browser.
  if (accept === null || !accept.includes('text/html')) return undefined;
  if (negotiate(accept, ['text/html', 'application/json']) !== 'text/html') return undefined;
  const link = (path.replace(/\/+$/, '') + prefix).replaceAll(/[^\w/~.%-]/g, '');
  return answerPage(
    writePage(
      `<p>It answers the requests that its OpenAPI document describes.</p><p><a href="${link}/">Open the inspector</a> to see each request, why it got its answer, and the state.</p>`,
    ),
  );
}

/** The page that a browser gets at the root of a server of several documents: links to their inspectors. */
export function answerDocuments(
  documents: readonly { readonly title: string; readonly version: string; readonly control: string | null }[],
): Response {
  const links = documents.map(({ title, version, control }) => {
    return `<li><a href="${escapeMarkup(control ?? '')}/">${escapeMarkup(title)}</a> ${escapeMarkup(version)}</li>`;
  });
  const answer = answerPage(
    writePage(`<p>It answers the requests that these OpenAPI documents describe.</p><ul>${links.join('')}</ul>`),
  );
  const headers = { ...answer.headers, 'content-type': answer.mediaType, 'cache-control': 'no-store' };
  return new host.Response(answer.body, { status: answer.status, headers });
}

/** A page with the heading of the mock. */
function writePage(text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><title>Mock server</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem}</style><h1>This is a mock server</h1>${text}</html>`;
}

/** A page that runs only the scripts and styles that it contains. */
function answerPage(html: string) {
  const policy = [
    "default-src 'none'",
    `script-src ${listHashes(html, 'script') || "'none'"}`,
    `style-src ${listHashes(html, 'style') || "'none'"}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  const headers = { ...SAFE_HEADERS, 'content-security-policy': policy.join('; ') };
  return { ...PLAIN_ANSWER, status: 200, headers, body: html, mediaType: 'text/html; charset=utf-8' };
}

function listHashes(html: string, element: 'script' | 'style'): string {
  const texts = [...html.matchAll(new RegExp(`<${element}[^>]*>([\\s\\S]*?)</${element}>`, 'g'))];
  return texts.map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');
}
