import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';
/** Starts it with what Playwright asks for, and with less beside the pages. */
const START = fileURLToPath(new URL('chromium.sh', import.meta.url));
const PAGE_SIZE = { width: 1280, height: 720 };

/** Whether the tests have a browser: `apt-get install -y chromium`. */
export const HAS_CHROMIUM: boolean = existsSync(PROGRAM);

/** What a page looks like, and what a site may do in it. */
export interface PageOptions {
  readonly size?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
}

/** A browser whose pages serve one test after the other: to open one takes ten times as long as a test needs it. */
export interface PagePool {
  /** A page without cookies, handlers and routes. */
  take(options?: PageOptions): Promise<Page>;
  /** Leaves the site, and keeps the page for the next test. */
  leave(page: Page): Promise<void>;
  close(): Promise<void>;
}

/** Starts Chromium. */
export function openChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: START, args: ['--no-sandbox', '--disable-gpu'] });
}

/** Starts Chromium for tests that share its pages. Each of them uses an origin of its own, so that no storage is shared. */
export async function openPagePool(): Promise<PagePool> {
  const browser = await openChromium();
  const context = await browser.newContext();
  let free: Page | undefined;
  return {
    async take({ size = PAGE_SIZE, colorScheme = 'light' } = {}) {
      const page = free ?? (await context.newPage());
      free = undefined;
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      return page;
    },
    async leave(page) {
      await page.unrouteAll();
      await clearStorage(context, page);
      // Of several pages only one is visible, and Chromium draws no other.
      if (free !== undefined) return page.close();
      await page.goto('about:blank');
      free = page;
    },
    close: () => browser.close(),
  };
}

/** Cookies belong to a host with all of its ports; the session storage, to an origin, and a later test may get its port. */
async function clearStorage(context: BrowserContext, page: Page): Promise<void> {
  await context.clearCookies();
  await context.clearPermissions();
  await page.evaluate('try { sessionStorage.clear(); } catch {}');
}
