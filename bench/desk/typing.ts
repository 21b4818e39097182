import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { CDPSession, Page } from '../../test/support/browser/chromium.ts';
import { createVisitorClient, sendMessage } from '../engine/clients.ts';
import { forgetNotes, type Notes, readNotes } from './in-page.ts';
import { type MeasuredDesk, openConversation } from './open-conversation.ts';

/** An operator writes while messages arrive in all conversations, the open one among them. */
export interface Typing {
  /** Messages that were accepted, per second. */
  readonly perSecond: number;
  readonly failed: number;
  /** From the request for the last message until it is in the document. */
  readonly lastArrivalMs: number;
  readonly longTasks: readonly number[];
  /** From each key to the first frame after it. */
  readonly keys: readonly number[];
  /** The share of the time that the main thread was busy, and what with. */
  readonly mainThread: Readonly<Record<MainThreadWork, number>>;
}

export type MainThreadWork = 'TaskDuration' | 'ScriptDuration' | 'LayoutDuration' | 'RecalcStyleDuration';

export const MESSAGES_PER_SECOND = 200;
const MS_PER_KEY = 80;
const TEXT = 'your parcel left our warehouse on monday and is with the carrier now ';
const LAST = '<mark last>';
const TIMEOUT_MS = 10_000;

export async function measureTyping(
  desk: MeasuredDesk,
  { milliseconds, profile }: { milliseconds: number; profile: string | undefined },
): Promise<Typing> {
  const { conversation } = desk.conversations[0] as MeasuredDesk['conversations'][number];
  const page = await openConversation(desk, conversation);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  if (profile !== undefined) {
    await session.send('Profiler.enable');
    await session.send('Profiler.start');
  }
  await page.evaluate(forgetNotes);
  const before = await readMainThread(session);
  const startedAt = performance.now();
  const [sent] = await Promise.all([sendAll(desk, milliseconds), typeFor(page, milliseconds)]);
  const lastArrivalMs = await measureLast(desk, page);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await readMainThread(session);
  const { longTasks, keys } = await page.evaluate(readNotes);
  if (profile !== undefined) {
    const recorded = await session.send('Profiler.stop');
    writeFileSync(join(profile, 'desk-page.cpuprofile'), JSON.stringify(recorded.profile));
  }
  await page.context().close();
  const share = (work: MainThreadWork) => (after(work) - before(work)) / seconds;
  return {
    ...sent,
    ...{ lastArrivalMs, longTasks, keys },
    mainThread: {
      TaskDuration: share('TaskDuration'),
      ScriptDuration: share('ScriptDuration'),
      LayoutDuration: share('LayoutDuration'),
      RecalcStyleDuration: share('RecalcStyleDuration'),
    },
  };
}

/** At a fixed rate, whether or not the service keeps up; to one conversation after the other. */
async function sendAll({ client, conversations }: MeasuredDesk, milliseconds: number) {
  const inFlight: Promise<void>[] = [];
  let failed = 0;
  const startedAt = performance.now();
  for (let at = 0; at < milliseconds; at += 1000 / MESSAGES_PER_SECOND) {
    await wait(Math.max(0, startedAt + at - performance.now()));
    const { visitor, conversation } = conversations[
      inFlight.length % conversations.length
    ] as (typeof conversations)[0];
    const sending = sendMessage(createVisitorClient(client, visitor), conversation);
    inFlight.push(
      sending.catch(() => {
        failed += 1;
      }),
    );
  }
  await Promise.all(inFlight);
  const seconds = (performance.now() - startedAt) / 1000;
  return { perSecond: (inFlight.length - failed) / seconds, failed };
}

async function typeFor(page: Page, milliseconds: number): Promise<void> {
  const startedAt = performance.now();
  for (let index = 0; index * MS_PER_KEY < milliseconds; index++) {
    await wait(Math.max(0, startedAt + index * MS_PER_KEY - performance.now()));
    await page.keyboard.press(TEXT[index % TEXT.length] as string);
  }
}

/** How far the page is behind. */
async function measureLast({ client, conversations }: MeasuredDesk, page: Page): Promise<number> {
  const { visitor, conversation } = conversations[0] as MeasuredDesk['conversations'][number];
  const sentAt = Date.now();
  await sendMessage(createVisitorClient(client, visitor), conversation, undefined, LAST);
  let notes: Notes;
  const end = performance.now() + TIMEOUT_MS;
  do {
    await wait(20);
    notes = await page.evaluate(readNotes);
    if (performance.now() > end) throw new Error('The last message did not arrive at the desk.');
  } while (notes.arrivals[LAST] === undefined);
  return notes.arrivals[LAST] - sentAt;
}

async function readMainThread(session: CDPSession): Promise<(name: MainThreadWork) => number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
}
