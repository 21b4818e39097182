import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import { CHANNELS } from '../../kernel/channels.ts';
import { buildCanServeCondition, buildServedTreesCte } from './needs.ts';

const isChannelEnabled = sql.raw(
  `case c.channel ${CHANNELS.map((channel) => `when '${channel}' then live.${channel}_enabled`).join(' ')} end = 1`,
);

interface ServingKey {
  readonly accountId: Expression<number>;
  readonly operatorId: Expression<number>;
}

/**
 * The identifiers of the conversations `c` that match the condition and that the operator could serve: website, skill,
 * group, language and an enabled channel, apart from presence, availability, capacity and offer pauses. A subquery that
 * must agree with `isServableBy`.
 */
function buildServableIds({ accountId, operatorId }: ServingKey, condition: RawBuilder<unknown>): RawBuilder<number> {
  const operator = { accountId, operatorId, languageList: sql<string>`live.language_list` };
  return sql`(with recursive ${buildServedTreesCte(operator)}
    select c.id from operator_live live cross join conversations c
    where live.account_id = ${accountId} and live.operator_id = ${operatorId}
    and c.account_id = ${accountId} and ${condition} and ${isChannelEnabled} and ${buildCanServeCondition(operator)})`;
}

/** The queued conversations that the operator could serve, as a subquery; the index of the queue finds them. */
export function selectServableQueue(accountId: number, operatorId: number): RawBuilder<number> {
  return buildServableIds({ accountId: sql`${accountId}`, operatorId: sql`${operatorId}` }, sql`c.state = 'queued'`);
}

/** Returns those of the conversations that the operator could serve, whatever their state. */
export async function filterServable(
  { read }: Pick<Database, 'read'>,
  accountId: number,
  operatorId: number,
  conversationIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (conversationIds.length === 0) return new Set();
  const key = { accountId: sql<number>`${accountId}`, operatorId: sql<number>`${operatorId}` };
  const condition = sql`c.id in (${sql.join(conversationIds)})`;
  const { rows } = await sql<{ id: number }>`select id from ${buildServableIds(key, condition)} as servable`.execute(
    read,
  );
  return new Set(rows.map(({ id }) => id));
}

const findServable = prepare<{ accountId: number; operatorId: number; id: number }, { id: number }>((db, args) => ({
  compile: () =>
    sql<{ id: number }>`select id from ${buildServableIds(args, sql`c.id = ${args.id}`)} as servable`.compile(db),
}));

/** Whether the operator could serve the conversation, whatever its state. */
export async function couldServe(
  tx: Pick<Transaction, 'run'>,
  accountId: number,
  { operatorId, id }: { readonly operatorId: number; readonly id: number },
): Promise<boolean> {
  return (await tx.run(findServable, { accountId, operatorId, id })).length > 0;
}
