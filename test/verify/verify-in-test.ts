import { createServer, type RequestListener } from 'node:http';
import { loadContract } from '../../src/index.js';
import { createVerifyContext } from '../../src/tools/verify/context.js';
import type { Verification } from '../../src/tools/verify/events.js';
import { createTarget, type TargetOptions } from '../../src/tools/verify/target.js';
import { verifyService, type VerifyOptions } from '../../src/tools/verify/verify.js';
import { serveInTest } from '../serve-in-test.js';

/** Verifies the service at a URL, by default with all requests and without credentials. */
export async function verifyAt(
  baseUrl: string,
  document: Parameters<typeof loadContract>[0],
  options: Partial<TargetOptions & VerifyOptions> & { readonly seed?: number } = {},
): Promise<Verification> {
  const target = createTarget({ baseUrl, headers: {}, rate: Infinity, timeoutMs: 5000, budgetMs: 60_000, ...options });
  const context = createVerifyContext(await loadContract(document), options.seed);
  const all = { allowUnsafe: true, includes: () => true };
  return verifyService(context, target, { ...all, ...options });
}

/** Verifies a service that answers as a function does. */
export async function verifyAnswers(
  document: Parameters<typeof loadContract>[0],
  answer: RequestListener,
  options: Parameters<typeof verifyAt>[2] = {},
): Promise<Verification> {
  return verifyAt(await serveInTest(createServer(answer)), document, options);
}
