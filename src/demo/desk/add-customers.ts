import { EMPTY_CONTEXT } from '../../core/engine/records/visitor-context.ts';
import { writeContext } from '../../core/engine/records/visitor-context-store.ts';
import { addWebsites, findByExternalId, insertVisitor } from '../../core/engine/records/visitor-store.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import type { Transaction } from '../../storage/database.ts';
import { listTeam } from '../shop/shop-data.ts';
import { CUSTOMERS, type Customer, type EarlierConversation } from './customers.ts';
import { addEarlierConversation } from './earlier-conversations.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The shop, and who works at its desk. */
export interface DeskPlace {
  readonly websiteId: number;
  readonly shopUrl: string;
  readonly operatorId: number;
}

interface Earlier {
  readonly conversation: EarlierConversation;
  readonly visitorId: number;
  readonly language: string;
}

const nameCustomer = (index: number) => `halden-customer-${index + 1}`;

export async function hasCustomers(tx: Transaction, caller: Caller): Promise<boolean> {
  return (await findByExternalId(tx, caller, nameCustomer(0))) !== undefined;
}

/** The conversations are in the order of their times: the newest has the highest identifier. */
export async function addCustomers(tx: Transaction, caller: Caller, place: DeskPlace): Promise<void> {
  const { accountId } = caller;
  const [colleague] = await listTeam(tx, caller);
  const tags = await tx.db.selectFrom('tags').select(['id', 'name']).where('accountId', '=', accountId).execute();
  const earlier: Earlier[] = [];
  for (const [index, customer] of CUSTOMERS.entries()) {
    const visitorId = await addCustomer(tx, caller, customer, { ...place, externalId: nameCustomer(index) });
    const { conversations, language } = customer;
    earlier.push(...conversations.map((conversation) => ({ conversation, visitorId, language })));
  }
  earlier.sort((a, b) => b.conversation.minutesAgo - a.conversation.minutesAgo);
  for (const { conversation, visitorId, language } of earlier)
    await addEarlierConversation(tx, caller, conversation, {
      ...{ visitorId, websiteId: place.websiteId, language },
      operatorId: conversation.by === 'desk' || !colleague ? place.operatorId : colleague.id,
      tagIds: tags.filter(({ name }) => conversation.tags.includes(name)).map(({ id }) => id),
    });
}

async function addCustomer(
  tx: Transaction,
  caller: Caller,
  customer: Customer,
  { externalId, websiteId, shopUrl, operatorId }: DeskPlace & { readonly externalId: string },
): Promise<number> {
  const { firstname, lastname, email, phone, city, country, browser, timezone, language } = customer;
  const { page, fields, verifiedFields } = customer;
  const oldest = Math.max(...customer.conversations.map(({ minutesAgo }) => minutesAgo));
  const visitor = await insertVisitor(tx, caller, {
    ...{ firstname, lastname, email, phone, city, country, browser, externalId },
    ...{ lastOperatorId: operatorId, createdAt: tx.now - oldest * MINUTE_MS - HOUR_MS },
  });
  await addWebsites(tx, caller, visitor, [websiteId]);
  await writeContext(tx, caller, visitor.id, {
    ...EMPTY_CONTEXT,
    ...{ page: `${shopUrl}${page.path}`, title: page.title, referrer: page.referrer, timezone, language },
    ...{ fields: listFields(fields), verifiedFields: listFields(verifiedFields) },
    verifiedDetails: Object.keys(verifiedFields).length > 0 ? ['email'] : [],
  });
  return visitor.id;
}

function listFields(fields: Readonly<Record<string, string>>) {
  return Object.entries(fields).map(([name, value]) => ({ name, value }));
}
