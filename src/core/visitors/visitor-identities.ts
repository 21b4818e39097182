import type { Transaction } from '../../storage/database.ts';
import type { InstallationSecrets } from '../access/secrets.ts';
import { REQUEST_LEASE_MS } from '../engine/presence/visitor-presence.ts';
import { moveAttachments } from '../engine/records/attachment-store.ts';
import { moveConversations } from '../engine/records/conversation-store.ts';
import { moveMessagesLeft } from '../engine/records/message-left-store.ts';
import { moveMessages } from '../engine/records/message-store.ts';
import { deleteContext, findContext } from '../engine/records/visitor-context-store.ts';
import { movePresence } from '../engine/records/visitor-presence-store.ts';
import {
  addWebsites,
  eraseVisitor,
  findByExternalId,
  requireVisitor,
  setExternalId,
  type VisitorRow,
} from '../engine/records/visitor-store.ts';
import { announce } from '../events/announce.ts';
import { type ActorContext, type Commit, forbidden, type VisitorCaller } from '../kernel/caller.ts';
import { DomainError } from '../kernel/errors.ts';
import { verifyIdentityToken } from './identity-token.ts';
import { applyIdentity } from './signed-details.ts';
import { changeContext } from './visitor-contexts.ts';
import type { VisitorLimits } from './visitor-limits.ts';
import { toVisitor, type Visitor } from './visitor-query.ts';
import type { VisitorSessions } from './visitor-sessions.ts';
import type { VisitorWebsites } from './visitor-websites.ts';

interface IdentityDependencies {
  readonly secrets: InstallationSecrets;
  readonly websites: VisitorWebsites;
  readonly sessions: VisitorSessions;
  readonly limits: VisitorLimits;
}

/** Identifies visitors who began without an identity. */
export class VisitorIdentities {
  readonly #services: IdentityDependencies;

  constructor(services: IdentityDependencies) {
    this.#services = services;
  }

  /** The visitor becomes the one with the signed identifier, with all their conversations. */
  async identify(commit: Commit<Visitor>, visitor: VisitorCaller, token: string): Promise<Visitor> {
    const { secrets, websites, sessions, limits } = this.#services;
    const { accountId, websiteId, visitorId } = visitor;
    const website = await websites.find(accountId, websiteId);
    if (!website) throw forbidden();
    const identity = verifyIdentityToken(
      token,
      secrets.deriveIdentitySecret(accountId, websiteId, website.secretVersion),
      'token',
    );
    const identified = await commit(async (tx) => {
      await limits.admitContext(tx, visitor);
      identity.requireValidAt(tx.now);
      const row = await requireVisitor(tx, accountId, visitorId);
      const known = await resolveVisitor(tx, visitor, row, identity.externalId);
      if (known.id !== row.id) {
        await sessions.moveAll(tx, visitor, row.id, known.id);
        await joinVisitors(tx, visitor, row, known);
      }
      return toVisitor(await applyIdentity(tx, visitor, known, identity));
    });
    if (identified.id !== visitorId) sessions.evict({ accountId, id: visitorId });
    return identified;
  }
}

/** Returns the visitor who has the identifier, or gives it to this one. */
async function resolveVisitor(
  tx: Transaction,
  context: ActorContext,
  row: VisitorRow,
  externalId: string,
): Promise<VisitorRow> {
  if (row.erasedAt !== null) throw new DomainError('state', 'The data of this visitor was erased.');
  if (row.externalId === externalId) return row;
  if (row.externalId !== null)
    throw new DomainError('state', 'The visitor is already identified as another person. Open a new session.');
  return (await findByExternalId(tx, context, externalId)) ?? setExternalId(tx, context, row, externalId);
}

/**
 * Moves everything from a visitor without an identity to the one that they are. The empty visitor stays for a while,
 * because another node may still use it for half a second; it is deleted like every visitor without a conversation.
 */
async function joinVisitors(tx: Transaction, context: ActorContext, from: VisitorRow, to: VisitorRow): Promise<void> {
  const moved = await moveConversations(tx, context, from.id, to.id);
  await moveMessages(tx, context, from.id, to.id);
  await moveAttachments(tx, context, from.id, to.id);
  await moveMessagesLeft(tx, context, from.id, to.id);
  await movePresence(tx, context, { fromVisitorId: from.id, toVisitorId: to.id, milliseconds: REQUEST_LEASE_MS });
  for (const { id, operatorId } of moved)
    announce(tx, context, 'conversation.updated', id, {
      fields: ['visitorId'],
      values: { visitorId: to.id, ...(operatorId !== null && { operatorId }) },
    });
  await addWebsites(tx, context, to, JSON.parse(from.websiteList) as number[]);
  const pageContext = await findContext(tx, context, from.id);
  if (pageContext) {
    const { page, title, referrer, timezone, language, fields } = pageContext;
    await deleteContext(tx, context, from.id);
    await changeContext(tx, context, to.id, { page, title, referrer, timezone, language, fields });
  }
  await eraseVisitor(tx, context, from);
}
