import { randomBytes } from 'node:crypto';
import type { Installation } from '../../app/installation.ts';
import type { Caller, Transact } from '../../core/kernel/caller.ts';
import { loadOperators } from '../../core/operators/operator-store.ts';
import { findPresentOperators } from '../demo.ts';
import type { Shop, TeamMember } from '../shop/shop-data.ts';
import type { Pace } from './behaviour.ts';
import { LOGIN_REFUSED, PlayedOperator, type PlayedPerson, type PlayedWork } from './played-operator.ts';
import { isRealPersonFree } from './real-people.ts';
import { RefusedRequest, type ServiceClient } from './service-client.ts';

/** What sessions of played people without a password show as their device. */
const DEVICE = 'Switchboard demo';

export interface PlayedPeople {
  /** Those who work in the shop. */
  readonly team: readonly PlayedOperator[];
  readonly others: readonly PlayedOperator[];
}

/**
 * Makes the credentials of all played people. Those of the shop exist only for this, so they get a new password at every
 * start. The others keep theirs, which someone may have set, and get tokens.
 */
export async function hirePlayedPeople(
  installation: Installation,
  caller: Caller,
  { shop, client, pace }: { readonly shop: Shop; readonly client: ServiceClient; readonly pace: Pace },
): Promise<PlayedPeople> {
  const otherIds = await findPresentOperators(installation, caller);
  const playedIds = new Set([...shop.team.map(({ id }) => id), ...otherIds].map(String));
  let manager: PlayedOperator | undefined;
  const work: PlayedWork = {
    ...{ client, pace, websiteId: shop.websiteId },
    isRealPersonFree: async (conversationId) => {
      const token = manager?.token;
      if (token === undefined) return false;
      return isRealPersonFree(client, token, { conversationId, playedIds }).catch(() => false);
    },
  };
  const team: PlayedOperator[] = [];
  for (const member of shop.team) {
    const password = await setNewPassword(installation, caller, member);
    const logIn = () => client.logIn(member.email, password);
    const person = new PlayedOperator({ logIn, becomesAvailable: true }, work);
    if (member.isManager) manager = person;
    team.push(person);
  }
  const others = otherIds.map(
    (id) => new PlayedOperator({ logIn: createTokenIssuer(installation, caller, id), becomesAvailable: false }, work),
  );
  return { team, others };
}

async function setNewPassword(
  { administration, database }: Installation,
  caller: Caller,
  { id }: TeamMember,
): Promise<string> {
  const password = randomBytes(18).toString('base64url');
  const transact: Transact = (work) => database.transaction(work, caller.accountId);
  await administration.operators.update(transact, caller, id, { password });
  return password;
}

function createTokenIssuer(
  { access, database }: Installation,
  { accountId }: Caller,
  operatorId: number,
): PlayedPerson['logIn'] {
  return () =>
    database.transaction(async (tx) => {
      const [operator] = await loadOperators(tx.db, accountId, [operatorId]);
      if (!operator) throw new RefusedRequest(LOGIN_REFUSED, 'The operator was deleted.');
      return access.tokens.issue(tx, { accountId, operatorId }, { kind: 'password', device: DEVICE });
    }, accountId);
}
