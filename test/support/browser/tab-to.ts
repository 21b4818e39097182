import type { Locator } from 'playwright-core';

/** More than any page has. */
const MAX_TABS = 100;

/** Moves the focus as people without a mouse do. Fails if the element cannot be reached. */
export async function tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs <= MAX_TABS; tabs += 1) {
    if (await target.evaluate((element) => element.matches(':focus'))) return;
    await target.page().keyboard.press(key);
  }
  throw new Error(`The focus does not reach ${target}.`);
}
