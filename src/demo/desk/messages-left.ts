import { insertMessageLeft } from '../../core/engine/records/message-left-store.ts';
import { insertVisitor } from '../../core/engine/records/visitor-store.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import { nextId } from '../../core/kernel/ids.ts';
import type { Transaction } from '../../storage/database.ts';

const HOUR_MS = 3_600_000;

/** What visitors of the shop left last night; the last one is done. */
const MESSAGES = [
  {
    ...{ name: 'Felix Bauer', email: 'felix.bauer@example.com', hoursAgo: 9, isDone: false, path: '/packs/fell-28' },
    text: 'Hello, is there a rain cover for the Fell 28? I leave on Friday.',
  },
  {
    ...{
      name: 'Isabel Navarro',
      email: 'isabel.navarro@example.com',
      hoursAgo: 11,
      isDone: false,
      path: '/boots/tarn-mid',
    },
    text: 'Buenas noches: ¿tendrán pronto las Tarn Mid en el número 38? Gracias.',
  },
  {
    ...{ name: '', email: 'h.larsen@example.com', hoursAgo: 12, isDone: false, path: '/basket' },
    text: 'The basket is empty every time I add something. Can I order by mail?\nTwo Lund Shell, M and L.',
  },
  {
    ...{
      name: 'Giulia Ferrari',
      email: 'giulia.ferrari@example.com',
      hoursAgo: 30,
      isDone: true,
      path: '/jackets/lund-shell',
    },
    text: 'The zip of my Lund Shell is stuck. Do you repair it?',
  },
] as const;

export async function addMessagesLeft(
  tx: Transaction,
  caller: Caller,
  {
    websiteId,
    operatorId,
    shopUrl,
  }: { readonly websiteId: number; readonly operatorId: number; readonly shopUrl: string },
): Promise<void> {
  const { accountId } = caller;
  for (const { name, email, text, hoursAgo, isDone, path } of MESSAGES.toReversed()) {
    const createdAt = tx.now - hoursAgo * HOUR_MS;
    const [firstname = '', lastname = ''] = name.split(' ');
    const visitor = await insertVisitor(tx, caller, {
      ...{ firstname, lastname, email, externalId: null, browser: 'Firefox 140', createdAt },
    });
    await insertMessageLeft(tx, caller, {
      ...{ accountId, id: await nextId(tx, accountId, 'message_left'), websiteId, visitorId: visitor.id },
      ...{ name, email, text, page: `${shopUrl}${path}`, createdAt, operatorId: isDone ? operatorId : null },
      ...{ doneAt: isDone ? createdAt + 8 * HOUR_MS : null, doneBy: isDone ? operatorId : null },
    });
  }
}
