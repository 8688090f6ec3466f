// @module-tag slow
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/index.js';
import type { Verification } from '../../src/tools/verify/events.js';
import { shows, toDocument } from '../operation-parts.js';
import { TEXT } from '../schema-parts.js';
import { type Break, BREAKS, DOCUMENT, startLibrary } from './library.js';
import { verifyAt } from './verify-in-test.js';

const contract = await loadContract(DOCUMENT);
const CREDENTIAL = { authorization: 'Bearer verify-token-1' };

const verify = (
  url: string,
  options: Parameters<typeof verifyAt>[2] = {},
  of: Parameters<typeof verifyAt>[1] = contract,
): Promise<Verification> => verifyAt(url, of, { headers: CREDENTIAL, ...options });

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
