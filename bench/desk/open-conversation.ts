import { setTimeout as wait } from 'node:timers/promises';
import type { HttpClient } from '../../simulate/http-client.ts';
import type { BrowserContext, Page } from '../../test/support/browser/chromium.ts';
import type { Page as Conversation } from '../visitors/open-sockets.ts';
import { watchDesk } from './in-page.ts';

/** For what the desk reads after it is shown. */
const SETTLE_MS = 2000;

/** What the desk is measured with. */
export interface MeasuredDesk {
  /** A browser without a cache, in which the operator is logged in. */
  context(): Promise<BrowserContext>;
  readonly url: string;
  readonly client: HttpClient;
  readonly conversations: readonly Conversation[];
}

/** The desk at a conversation, with the cursor in the composer. */
export async function openConversation({ context, url }: MeasuredDesk, conversation: number): Promise<Page> {
  const page = await (await context()).newPage();
  await page.addInitScript(watchDesk);
  await page.goto(`${url}/desk/conversations/${conversation}`);
  await page.getByRole('combobox', { name: /^Message to/ }).focus();
  await wait(SETTLE_MS);
  return page;
}
