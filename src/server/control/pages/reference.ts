import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Answer } from '../../../http/answer.js';
import { negotiate } from '../../../http/response/negotiate.js';
import { escapeMarkup } from '../../../http/xml.js';
import { answerProblem } from '../answer.js';
import { answerPage, PLAIN, SAFE_HEADERS, writePage } from './page.js';

/** The package that renders the page. */
const PACKAGE = 'swagger-ui-dist';

const INSTALL = `npm install --save-dev ${PACKAGE}`;

/** The files of the package that the page loads. */
const TYPES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** The script of the page itself. */
const SCRIPT = 'page.js';

/** The file `package.json` of the package: of the project of the user, otherwise of the one that vouch is installed in. */
export function findReferencePackage(): string | undefined {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      return createRequire(from).resolve(`${PACKAGE}/package.json`);
    } catch {
      // It is not installed there.
    }
  }
  return undefined;
}

/** Answers with the page that renders the document; 404 with the command that installs the package where it is missing. @param url - As it was sent. */
export async function answerReference(
  { url, headers }: { readonly url: string; readonly headers: { get(name: string): string | null } },
  { title, prefix }: { readonly title: string; readonly prefix: string },
): Promise<Answer> {
  const [path = ''] = url.split('?');
  const manifest = findReferencePackage();
  if (manifest === undefined) return answerMissing(headers.get('accept'));
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly version: string };
  // Relative, because a proxy or another app may serve the control API below another path.
  const folder = path.slice(path.lastIndexOf('/') + 1);
  const query = `?version=${encodeURIComponent(version)}`;
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title>${escapeMarkup(title)} – Reference</title><link rel="stylesheet" href="${folder}/swagger-ui.css${query}"></head><body data-prefix="${escapeMarkup(prefix)}"><div id="reference"></div><noscript>The reference needs JavaScript.</noscript><script src="${folder}/swagger-ui-bundle.js${query}"></script><script src="${folder}/${SCRIPT}"></script></body></html>`;
  return answerPage(html, { scripts: "'self'", styles: "'self'" });
}

/** Answers with a file that the page loads. @param version - Of the package, as the page names it, so that browsers can keep the file. */
export async function answerReferenceFile(name: string, version: unknown): Promise<Answer> {
  if (name === SCRIPT) {
    return {
      ...PLAIN,
      status: 200,
      headers: SAFE_HEADERS,
      body: PAGE_SCRIPT,
      mediaType: 'text/javascript; charset=utf-8',
    };
  }
  const mediaType = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (mediaType === undefined) {
    const message = `the reference has no file "${name.slice(0, 100)}"`;
    return answerProblem({ status: 404, code: 'CONTROL_UNKNOWN', message });
  }
  const manifest = findReferencePackage();
  if (manifest === undefined) return answerMissing(null);
  const body = await readFile(join(dirname(manifest), name));
  const cached = typeof version === 'string' && { 'cache-control': 'private, max-age=31536000, immutable' };
  return { ...PLAIN, status: 200, headers: { ...SAFE_HEADERS, ...cached }, body, mediaType };
}

function answerMissing(accept: string | null): Answer {
  const message = `the reference page needs the package "${PACKAGE}", which is not installed`;
  if (accept?.includes('text/html') === true && negotiate(accept, ['text/html', 'application/json']) === 'text/html') {
    const text = `<p>Its reference page needs the package <code>${PACKAGE}</code>. Install it in your project, and load this page again:</p><pre>${INSTALL}</pre>`;
    return { ...answerPage(writePage(text)), status: 404 };
  }
  return answerProblem({ status: 404, code: 'CONTROL_UNKNOWN', message, hint: `install it: ${INSTALL}` });
}

/** Loads the document with the token of the inspector, for which it asks where one is needed, and renders it with the URL of the mock. */
const PAGE_SCRIPT = `'use strict';
(() => {
  const KEY = 'vouch-control-token';
  const element = document.getElementById('reference');
  const control = new URL('.', location.href);
  const end = document.body.dataset.prefix + '/';
  const path = control.pathname.endsWith(end) ? control.pathname.slice(0, -end.length) : control.pathname.slice(0, -1);

  const show = (name, text) => {
    const child = document.createElement(name);
    child.textContent = text;
    return child;
  };

  const askToken = () => {
    const form = document.createElement('form');
    const label = show('label', 'Control token ');
    const input = document.createElement('input');
    Object.assign(input, { type: 'password', autocomplete: 'off', required: true });
    label.append(input);
    form.append(label, show('button', 'Open'));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      sessionStorage.setItem(KEY, input.value);
      void load();
    });
    return form;
  };

  const load = async () => {
    const token = sessionStorage.getItem(KEY);
    const url = new URL('openapi.json', control);
    url.searchParams.set('server', location.origin + path);
    const response = await fetch(url, { cache: 'no-store', headers: token === null ? {} : { 'x-mock-control-token': token } });
    const body = await response.json();
    element.replaceChildren();
    if (response.ok) {
      SwaggerUIBundle({ spec: body, domNode: element, deepLinking: true, validatorUrl: null, displayRequestDuration: true });
      return;
    }
    element.append(show('p', body.detail));
    if (response.status === 401) element.append(askToken());
    else if (body.hint !== undefined) element.append(show('p', body.hint));
  };

  load().catch((error) => element.replaceChildren(show('p', 'The mock does not answer: ' + error.message)));
})();
`;
