import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';

// The browser of the system; without it, the one that `npx playwright install chromium` downloads.
const executablePath = process.env['CHROMIUM'];
const launchOptions = { ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] };

export default defineConfig({
  test: {
    globalSetup: './global-setup.js',
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions }),
      instances: [{ browser: 'chromium' }],
    },
  },
});
