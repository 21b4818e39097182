import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { ADMIN } from '../processes/switchboard.ts';

export interface Login {
  readonly email: string;
  readonly password: string;
}

/** Fills in the log-in page, which the page shows or is about to show. */
export async function fillInLogin(page: Page, { email, password }: Login = ADMIN): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

/** Gives all pages of the context a session, as the log-in page does. */
export async function logInContext(context: BrowserContext, url: string, login: Login & { code?: string } = ADMIN) {
  const { email, password, code } = login;
  const response = await context.request.post(`${url}/session`, {
    headers: { origin: url },
    data: { email, password, ...(code !== undefined && { code }) },
  });
  assert.equal(response.status(), 200, await response.text());
}
