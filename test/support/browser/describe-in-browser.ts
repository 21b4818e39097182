import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, describe, type SuiteContext, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { findOpenPages, skipWithoutBrowser } from './chromium.ts';

const FOLDER = join(import.meta.dirname, '../../results');
const TIMEOUT_MS = 10_000;

/** A suite that needs a browser. When a test fails, the pages that are open then are saved as pictures. */
export function describeInBrowser(name: string, define: () => void, skip = skipWithoutBrowser): void {
  describe(name, { skip }, () => {
    // The first hook runs first: those of the suite may close the pages.
    afterEach(savePagesOfFailure);
    define();
  });
}

async function savePagesOfFailure(context: TestContext | SuiteContext): Promise<void> {
  if (!('diagnostic' in context) || context.passed) return;
  const test = context as TestContext;
  mkdirSync(FOLDER, { recursive: true });
  for (const [index, page] of findOpenPages().entries()) {
    const path = join(FOLDER, `${fileNameOf(test.fullName)}-${index + 1}.png`);
    test.diagnostic(`picture: ${await savePage(page, path)} of ${page.url()}`);
  }
}

/** Returns the path, or why there is no picture. */
async function savePage(page: Page, path: string): Promise<string> {
  try {
    await page.screenshot({ path, timeout: TIMEOUT_MS });
    return relative(process.cwd(), path);
  } catch (error) {
    return String(error);
  }
}

function fileNameOf(testName: string): string {
  return testName
    .replaceAll(/[^\p{L}\d]+/gu, '-')
    .slice(-120)
    .replace(/^-|-$/g, '');
}
