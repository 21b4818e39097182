import type { Transaction } from '../../../storage/database.ts';
import { type HotStatement, hotStatement } from '../../../storage/prepared-statement.ts';
import { unknownId } from '../../kernel/errors.ts';
import type { Conversation } from './conversation.ts';

interface Named {
  readonly accountId: number;
  readonly id: number;
}

export const insertConversation = hotStatement<Conversation>((db, row) => db.insertInto('conversations').values(row));

const find = hotStatement<Named, Conversation>((db, { accountId, id }) =>
  db.selectFrom('conversations').selectAll().where('accountId', '=', accountId).where('id', '=', id),
);

export async function requireConversation(tx: Transaction, accountId: number, id: number): Promise<Conversation> {
  const [conversation] = await tx.run(find, { accountId, id });
  if (!conversation) throw unknownId('conversation', id);
  return conversation;
}

type Column = Exclude<keyof Conversation, 'accountId' | 'id'>;
type Changed = Partial<Pick<Conversation, Column>>;

const changes = new Map<string, HotStatement<Named & { from: string } & Changed, Conversation>>();

function changeOf(columns: readonly Column[]) {
  const name = columns.join();
  const known = changes.get(name);
  if (known) return known;
  const statement = hotStatement<Named & { from: string } & Changed, Conversation>((db, given) =>
    db
      .updateTable('conversations')
      .set(Object.fromEntries(columns.map((column) => [column, given[column]])))
      .where('accountId', '=', given.accountId)
      .where('id', '=', given.id)
      .where('state', '=', given.from as never)
      .returningAll(),
  );
  changes.set(name, statement);
  return statement;
}

/** Changes a conversation if it is still in the state in which it was seen; undefined when somebody else was quicker. */
export async function change(
  tx: Transaction,
  { accountId, id, state }: Pick<Conversation, 'accountId' | 'id' | 'state'>,
  to: Changed,
): Promise<Conversation | undefined> {
  const columns = (Object.keys(to) as Column[]).sort();
  return (await tx.run(changeOf(columns), { ...to, accountId, id, from: state }))[0];
}
