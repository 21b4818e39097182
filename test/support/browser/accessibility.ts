import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { endTransitions } from './in-page.ts';

const WCAG_22_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Those of the rules above whose result depends on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Checks the page, shadow roots included, for the rules of WCAG 2.2 AA. `include` is a selector; defaults to the page. */
export function findAccessibilityProblems(page: Page, include = 'html'): Promise<string[]> {
  return runAxe(page, include, WCAG_22_AA);
}

/** Checks what another theme can change. */
export function findColourProblems(page: Page, include = 'html'): Promise<string[]> {
  return runAxe(page, include, COLOUR_RULES);
}

async function runAxe(page: Page, include: string, rules: readonly string[]): Promise<string[]> {
  // Not a script element: the content security policy of the page would block it.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.evaluate(endTransitions);
  return page.evaluate(
    async ({ include, runOnly }) => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
      const { violations } = await axe.run(include, { runOnly, resultTypes: ['violations'] });
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.flat().join(' ')}: ${failureSummary}`),
      );
    },
    { include, runOnly: [...rules] },
  );
}
