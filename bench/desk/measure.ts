import { join } from 'node:path';
import { HttpClient } from '../../simulate/http-client.ts';
import { launchChromium } from '../../test/support/browser/chromium.ts';
import { logInContext } from '../../test/support/browser/log-in.ts';
import { buildOperator, PASSWORD } from '../data.ts';
import { createVisitorClient, Desks, sendMessage } from '../engine/clients.ts';
import { NO_RATE_LIMITS } from '../engine/conversations.ts';
import { idlePopulation } from '../engine/population.ts';
import { prepareFilledFolder } from '../fill.ts';
import { startService } from '../processes.ts';
import { showProgress } from '../progress.ts';
import type { Page } from '../visitors/open-sockets.ts';
import { startConversations } from '../visitors/visitor-job.ts';
import { type Arrivals, measureArrivals } from './arrivals.ts';
import { type FirstView, measureFirstView } from './first-view.ts';
import { measureTyping, type Typing } from './typing.ts';

/** The page of an operator in Chromium: how soon it is there, and whether messages of visitors hinder it. */

/** The only operator, so that every conversation is theirs. */
const OPERATOR = 2;
const LOGIN = { email: buildOperator(1000, OPERATOR).email, password: PASSWORD };
/** As many as the operator may have. */
const CONVERSATIONS = 50;
const CONVERSATIONS_AT_FIRST_VIEW = 8;
const EARLIER_MESSAGES = 6;

export interface DeskBench {
  readonly cache: string;
  readonly folder: string;
  readonly profile: string | undefined;
  readonly plan: { readonly views: number; readonly messages: number; readonly milliseconds: number };
}

export interface DeskResult {
  readonly conversations: { readonly atFirstView: number; readonly open: number };
  readonly firstView: FirstView;
  /** The same where the address names a conversation. */
  readonly conversationView: FirstView;
  readonly arrivals: Arrivals;
  readonly typing: Typing;
}

export async function measureDesk({ cache, folder, profile, plan }: DeskBench): Promise<DeskResult> {
  const browser = await launchChromium();
  const filled = await prepareFilledFolder(cache, OPERATOR, idlePopulation);
  const service = await startService(filled, join(folder, 'desk'), { env: NO_RATE_LIMITS, profile });
  const url = `http://127.0.0.1:${service.port}`;
  const client = new HttpClient({ urls: [url], trustsForwardedFor: false });
  try {
    const login = await browser.newContext();
    await logInContext(login, url, LOGIN);
    // The cookie alone: the cache of each is empty.
    const storageState = await login.storageState();
    await login.close();
    const context = () => browser.newContext({ viewport: { width: 1440, height: 900 }, storageState });
    const some = await openConversations(client, 1, CONVERSATIONS_AT_FIRST_VIEW);
    showProgress(`desk: first view, ${plan.views} times`);
    const firstView = await measureFirstView(context, `${url}/desk`, plan.views);
    const address = `${url}/desk/conversations/${some[0]?.conversation}`;
    const conversationView = await measureFirstView(context, address, plan.views);
    const more = await openConversations(client, CONVERSATIONS_AT_FIRST_VIEW + 1, CONVERSATIONS);
    const conversations = [...some, ...more];
    showProgress(`desk: arrival of ${plan.messages} messages`);
    const desk = { context, url, client, conversations };
    const arrivals = await measureArrivals(desk, plan.messages);
    showProgress('desk: typing while messages arrive');
    const typing = await measureTyping(desk, { milliseconds: plan.milliseconds, profile });
    return {
      conversations: { atFirstView: some.length, open: conversations.length },
      ...{ firstView, conversationView, arrivals, typing },
    };
  } finally {
    client.close();
    await browser.close();
    await service.stop();
  }
}

/** One for each visitor from the first to the last, each with earlier messages. */
async function openConversations(client: HttpClient, first: number, last: number): Promise<Page[]> {
  const desks = new Desks();
  await desks.open(client, [OPERATOR]);
  const visitors = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const conversations = await startConversations(client, desks, visitors);
  await desks.close();
  for (const { visitor, conversation } of conversations)
    for (let count = 0; count < EARLIER_MESSAGES; count++)
      await sendMessage(createVisitorClient(client, visitor), conversation);
  return conversations;
}
