import { defineConfig } from '@playwright/test';

// The browser of the system; without it, the one that `npx playwright install chromium` downloads.
const executablePath = process.env['CHROMIUM'];

export default defineConfig({
  reporter: 'list',
  use: { launchOptions: { ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] } },
});
