import { afterEach, expect, it, vi } from 'vitest';
import { runFixturesExport } from '../../src/cli/commands/fixtures.js';
import { openBuiltIn, listenBuiltIn } from '../describe-both.js';
import { createFolder } from '../folders.js';

afterEach(() => void vi.unstubAllEnvs());

it('vouch fixtures export writes the state of one session, and a mock started from it has that state', async () => {
  const { mock, url } = await listenBuiltIn();
  const folder = createFolder();
  mock.session('a').state.collection('admin_api_keys').add({ name: 'exported' });
  await runFixturesExport({ url, into: folder, session: 'a', write: () => undefined });
  await using copy = await openBuiltIn({ fixtures: folder });
  expect(copy.state.export()).toEqual(mock.session('a').state.export());
  expect(copy.state.export()).not.toEqual(mock.state.export());
});

it('vouch fixtures export reports why it is refused, and uses the token from the environment', async () => {
  const { url } = await listenBuiltIn({ control: { token: 'secret' } });
  const work = (): Promise<number> => runFixturesExport({ url, into: createFolder(), write: () => undefined });
  await expect(work()).rejects.toMatchObject({
    code: 'STATE_UNREADABLE',
    reason: `the mock at ${url} refused the request: the control API of this mock needs its token`,
    hint: 'set VOUCH_CONTROL_TOKEN to the token the mock was started with',
  });
  vi.stubEnv('VOUCH_CONTROL_TOKEN', 'secret');
  expect(await work()).toBe(0);
});
