import { defineConfig } from '@playwright/test';

// Another port for each run; workers get it from the environment.
process.env['PORT'] ??= String(20_000 + (process.pid % 20_000));
const baseURL = `http://127.0.0.1:${process.env['PORT']}`;

export default defineConfig({
  reporter: 'list',
  use: { baseURL },
  webServer: { command: 'node service.js', url: `${baseURL}/v1/stations` },
});
