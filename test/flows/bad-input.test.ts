import { expect, it } from 'vitest';
import { AUTHORIZED, describeAll, jsonInit } from '../describe-both.js';

const KEYS = '/organization/admin_api_keys';
const CONTENT = '/files/file-handbook/content';

// What other requests that break a contract are answered with is in `test/documents`.
describeAll(
  'a request',
  (start) => {
    it('is accepted with a secret the mock issued, if those are enabled', async () => {
      const { send } = await start({ auth: { tokens: ['sk-root'], acceptIssued: true } });
      const init = {
        ...jsonInit('POST', { name: 'Issued' }),
        headers: { authorization: 'Bearer sk-root', 'content-type': 'application/json' },
      };
      // The create answers with its secret; the flow tests check its form.
      const { value } = (await (await send(KEYS, init)).json()) as { readonly value: string };
      expect((await send(CONTENT, { headers: { authorization: `Bearer ${value}` } })).status).toBe(200);
      expect((await send(CONTENT, { headers: { authorization: 'Bearer sk-other' } })).status).toBe(401);
    });

    it('is authenticated before it is validated', async () => {
      const { send } = await start();
      const response = await send(KEYS, { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } });
      expect(response.status).toBe(401);
    });

    it('with a cursor of no item is answered 400 with the parameter, in the shape of the contract', async () => {
      const { send } = await start();
      const response = await send(`${KEYS}?after=key_unknown`, { headers: AUTHORIZED });
      expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/json']);
      const message = expect.stringContaining('after') as string;
      const error = { message, type: expect.any(String) as string, param: 'after', code: expect.anything() as string };
      expect(await response.json()).toEqual({ error });
    });
  },
  true,
);
