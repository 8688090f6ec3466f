import { expect, test as base } from '@playwright/test';
import { mockFixtures, type MockFixtures, type MockWorkerFixtures } from 'vouch/playwright';
import { serveApp } from './app.ts';

interface App {
  /** Opens the page, which asks the mock. */
  open: () => Promise<void>;
}

const test = base
  .extend<MockFixtures, MockWorkerFixtures>(
    mockFixtures({ spec: '../client/openapi.yaml', fixtures: '../client/fixtures' }),
  )
  .extend<App, { appUrl: string }>({
    appUrl: [
      async ({}, use) => {
        const { url, server } = await serveApp();
        await use(url);
        server.close();
      },
      { scope: 'worker' },
    ],
    open: async ({ page, mock, appUrl }, use) => {
      await use(async () => void (await page.goto(`${appUrl}/?api=${encodeURIComponent(mock.baseUrl)}`)));
    },
  });

test('the page shows the stations of the fixtures', async ({ page, open }) => {
  await open();
  await expect(page.getByRole('listitem')).toHaveText(['Berlin', 'Hamburg']);
});

test('the page books seats', async ({ page, mock, open }) => {
  await open();
  await page.getByRole('button', { name: 'Book' }).click();
  await expect(page.getByText('1 booked')).toBeVisible();
  mock.received('createBooking', { times: 1, with: { body: { station: 'BER', seats: 2 } } });
});

test('the page shows the message of an error', async ({ page, mock, open }) => {
  mock.use({ listStations: () => ({ status: 503, body: { message: 'down for maintenance' } }) });
  await open();
  await expect(page.getByText('503: down for maintenance')).toBeVisible();
});
