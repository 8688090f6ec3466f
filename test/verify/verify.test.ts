// @module-tag slow
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/index.js';
import { createVerifyContext } from '../../src/tools/verify/context.js';
import { createTarget } from '../../src/tools/verify/target.js';
import type { Verification } from '../../src/tools/verify/events.js';
import { verifyService } from '../../src/tools/verify/verify.js';
import { shows, toDocument } from '../operation-parts.js';
import { TEXT } from '../schema-parts.js';
import { type Break, BREAKS, DOCUMENT, startLibrary } from './library.js';

const contract = await loadContract(DOCUMENT);
const CREDENTIAL = { authorization: 'Bearer verify-token-1' };

async function verify(
  url: string,
  { seed = 1, allowUnsafe = true, headers = CREDENTIAL, budgetMs = 60_000 } = {},
  of = contract,
): Promise<Verification> {
  const target = createTarget({ baseUrl: url, headers, rate: Infinity, timeoutMs: 5000, budgetMs });
  return verifyService(createVerifyContext(of, seed), target, { allowUnsafe, includes: () => true });
}

const toTexts = ({ findings }: Verification): readonly string[] =>
  findings.map(({ code, operations, message }) => `${code} ${operations.join(' ')}: ${message}`);

describe('a service that keeps its document', () => {
  it.each([1, 2, 3, 4, 5])('has no finding with the seed %i, and what is created is removed', async (seed) => {
    const { url, books } = await startLibrary();
    const before = [...books.keys()];
    const verification = await verify(url, { seed });
    expect(toTexts(verification)).toEqual([]);
    expect(verification.verified).toEqual([
      'getStatus',
      'listBooks',
      'createBook',
      'getBook',
      'updateBook',
      'deleteBook',
    ]);
    expect([...books.keys()]).toEqual(before);
  });

  it('is not changed without --allow-unsafe', async () => {
    const { url, books } = await startLibrary();
    const before = JSON.stringify([...books]);
    const { findings, skipped, verified } = await verify(url, { allowUnsafe: false });
    expect(findings).toEqual([]);
    expect(verified).toEqual(['getStatus', 'listBooks', 'getBook']);
    expect(skipped.map(({ operation }) => operation)).toEqual(['createBook', 'updateBook', 'deleteBook']);
    expect(JSON.stringify([...books])).toBe(before);
  });

  it('has no finding where the credentials are not accepted, and is said to want others', async () => {
    const { url } = await startLibrary();
    const { findings, skipped } = await verify(url, { headers: { authorization: 'Basic eDp5' } });
    expect(findings).toEqual([]);
    expect(skipped).toContainEqual({ operation: 'listBooks', message: 'it answers 401: pass credentials' });
  });

  it('is not asked with a method that no request can have', async () => {
    const { url } = await startLibrary();
    const traced = await loadContract(
      toDocument({ '/status': { trace: { operationId: 'traceStatus', ...shows(TEXT) } } }),
    );
    const { skipped } = await verify(url, {}, traced);
    expect(skipped).toEqual([{ operation: 'traceStatus', message: 'no request with TRACE can be sent' }]);
  });

  it('is not asked after the time is over', async () => {
    const { url } = await startLibrary();
    const { isCut, requests, verified } = await verify(url, { budgetMs: 0 });
    expect({ isCut, requests, verified }).toEqual({ isCut: true, requests: 0, verified: [] });
  });
});

describe('a service with a break', () => {
  // The keys of the table are the breaks.
  it.each(Object.entries(BREAKS) as (readonly [Break, readonly [code: string, operation: string]])[])(
    'has the finding of %s, and no other one',
    async (broken, [code, operation]) => {
      const { url, books } = await startLibrary(broken);
      const verification = await verify(url);
      expect(toTexts(verification)).toHaveLength(1);
      expect(verification.findings[0]).toMatchObject({ code });
      expect(verification.findings[0]?.operations).toContain(operation);
      expect([...books.values()].filter(({ title }) => title.startsWith('vouch'))).toEqual([]);
    },
  );
});
