import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { findAccessibilityProblems } from './accessibility.ts';
import { findPageOverflow } from './page-overflow.ts';

const LANGUAGES = ['en', 'de', 'es', 'fr'];
/** React Aria announces that a button is pending by a reference to it, also when the button is gone a moment later. */
const ANNOUNCED_BUTTON = /^role-img-alt: div\[role="img"\]: /;
const WIDTHS = [320, 768, 1440];

/**
 * Checks a state of a page in both themes, at three widths and in four languages, and leaves it as it was. `part` is a
 * selector of what is checked.
 */
export async function assertPageIsSound(page: Page, state: string, part?: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    // Without motion: colours would be read in the middle of a transition.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const problems = await findAccessibilityProblems(page, part);
    assert.deepEqual(
      problems.filter((problem) => !ANNOUNCED_BUTTON.test(problem)),
      [],
      `${state}, ${colorScheme}`,
    );
  }
  const before = page.viewportSize() ?? { width: 1280, height: 800 };
  const language = page.locator('footer select');
  const languages = (await language.count()) === 0 ? [undefined] : LANGUAGES;
  for (const each of languages) {
    if (each !== undefined) await language.selectOption(each);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      assert.deepEqual(
        await page.evaluate(findPageOverflow, part ?? '#page'),
        [],
        `${state}, ${each}, ${width} pixels`,
      );
    }
  }
  if (languages.length > 1) await language.selectOption('en');
  await page.setViewportSize(before);
}
