import { setTimeout as wait } from 'node:timers/promises';
import { createVisitorClient, sendMessage } from '../engine/clients.ts';
import { forgetNotes, readNotes } from './in-page.ts';
import { type MeasuredDesk, openConversation } from './open-conversation.ts';

/** From the request of a visitor until the text is in the operator's document, one message after the other. */
export interface Arrivals {
  readonly messages: number;
  readonly p50: number;
  readonly p95: number;
  readonly most: number;
}

const TIMEOUT_MS = 10_000;
/** Not in step with anything in the page. */
const PAUSES_MS = [41, 67, 89, 113];

export async function measureArrivals(desk: MeasuredDesk, messages: number): Promise<Arrivals> {
  const [{ visitor, conversation }] = desk.conversations as [MeasuredDesk['conversations'][number]];
  const page = await openConversation(desk, conversation);
  const api = createVisitorClient(desk.client, visitor);
  await page.evaluate(forgetNotes);
  const times: number[] = [];
  for (let index = 0; index < messages; index++) {
    const mark = `<mark ${index}>`;
    const sentAt = Date.now();
    await sendMessage(api, conversation, undefined, `Where is my order? ${mark}`);
    let arrivedAt: number | undefined;
    for (const end = performance.now() + TIMEOUT_MS; arrivedAt === undefined; await wait(10)) {
      arrivedAt = (await page.evaluate(readNotes)).arrivals[mark];
      if (performance.now() > end) throw new Error(`Message ${index} did not arrive at the desk.`);
    }
    times.push(arrivedAt - sentAt);
    await wait(PAUSES_MS[index % PAUSES_MS.length]);
  }
  await page.context().close();
  const sorted = times.toSorted((first, second) => first - second);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { messages, p50: at(0.5), p95: at(0.95), most: sorted.at(-1) ?? 0 };
}
