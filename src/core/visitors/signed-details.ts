import type { Transaction } from '../../storage/database.ts';
import { findContext } from '../engine/records/visitor-context-store.ts';
import { PROFILE_FIELDS, type VisitorUpdate } from '../engine/records/visitor-profile.ts';
import { updateVisitor, type VisitorRow } from '../engine/records/visitor-store.ts';
import type { ActorContext } from '../kernel/caller.ts';
import { DomainError } from '../kernel/errors.ts';
import { type Identity, listDetailNames } from './identity-token.ts';
import { changeContext } from './visitor-contexts.ts';

/** Stores what the website has signed. */
export async function applyIdentity(
  tx: Transaction,
  context: ActorContext,
  row: VisitorRow,
  { details, fields }: Identity,
): Promise<VisitorRow> {
  const before = await findContext(tx, context, row.id);
  const verifiedDetails = [...new Set([...(before?.verifiedDetails ?? []), ...listDetailNames(details)])];
  await changeContext(tx, context, row.id, { verifiedDetails, ...(fields && { verifiedFields: fields }) });
  return updateVisitor(tx, context, row, details);
}

/** Omits details that the website has signed: the visitor's browser cannot replace them. */
export async function omitVerified(
  tx: Transaction,
  context: ActorContext,
  visitorId: number,
  details: VisitorUpdate,
): Promise<VisitorUpdate> {
  const names = (await findContext(tx, context, visitorId))?.verifiedDetails ?? [];
  return Object.fromEntries(Object.entries(details).filter(([name]) => !names.includes(name)));
}

/** Throws if the visitor's browser would change a detail that the website has signed. */
export async function requireUnsigned(
  tx: Transaction,
  context: ActorContext,
  before: VisitorRow,
  details: VisitorUpdate,
): Promise<void> {
  const names = (await findContext(tx, context, before.id))?.verifiedDetails ?? [];
  const changed = PROFILE_FIELDS.find(
    (name) => names.includes(name) && details[name] !== undefined && details[name] !== before[name],
  );
  if (changed === undefined) return;
  const problem = { path: [changed], code: 'invalid' as const, rule: 'is signed by the website and cannot be changed' };
  throw new DomainError('state', `The website has signed ${changed}: it cannot be changed.`, { problems: [problem] });
}
