import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { waitUntil } from '../waiting/wait.ts';
import { findAccessibilityProblems, findColourProblems } from './accessibility.ts';
import { findPageOverflow } from './page-overflow.ts';

export const LANGUAGES = ['de', 'es', 'fr', 'en'] as const;
/** React Aria announces that a button is pending by a reference to it, also when the button is gone a moment later. */
const ANNOUNCED_BUTTON = /^role-img-alt: div\[role="img"\]: /;
const NARROWEST = 320;
const WIDTHS = [NARROWEST, 768, 1440];
/** Its words are the longest. */
const LONGEST_LANGUAGE = 'de';

/**
 * Checks a state of a page in both themes and in four languages, as wide as `assertFits` does. `part` is a selector of what is
 * checked.
 */
export async function assertPageIsSound(page: Page, state: string, part?: string): Promise<void> {
  await assertIsAccessible(page, state, part);
  const language = page.locator('footer select');
  const languages = (await language.count()) === 0 ? [undefined] : LANGUAGES;
  for (const each of languages) {
    if (each !== undefined) await language.selectOption(each);
    await assertFits(page, `${state}, ${each}`, part, each);
  }
}

/** Checks a state in both themes. `expected` are the problems of a program that is not ours. */
export async function assertIsAccessible(
  page: Page,
  state: string,
  part?: string,
  expected = ANNOUNCED_BUTTON,
): Promise<void> {
  const check = async (colorScheme: 'dark' | 'light', findProblems: typeof findAccessibilityProblems) => {
    await page.emulateMedia({ colorScheme });
    const problems = await findProblems(page, part);
    assert.deepEqual(
      problems.filter((problem) => !expected.test(problem)),
      [],
      `${state}, ${colorScheme}`,
    );
  };
  await check('dark', findColourProblems);
  await check('light', findAccessibilityProblems);
}

/**
 * Checks a state at three widths, and leaves the page as wide as it was. In the languages with shorter words it checks
 * the narrowest width only.
 */
export async function assertFits(
  page: Page,
  state: string,
  part = '#page',
  language: string = LONGEST_LANGUAGE,
): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 800 };
  for (const width of language === LONGEST_LANGUAGE ? WIDTHS : [NARROWEST]) {
    await page.setViewportSize({ width, height: 800 });
    const findOverflow = () => page.evaluate(findPageOverflow, part);
    // What floats above the page is placed again a moment after the width has changed.
    await waitUntil('the page fits', async () => (await findOverflow()).length === 0).catch(() => undefined);
    assert.deepEqual(await findOverflow(), [], `${state}, ${width} pixels`);
  }
  await page.setViewportSize(before);
}
