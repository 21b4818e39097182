import type { Stored } from '../../support/databases/stored.ts';

const LATER = 4_000_000_000_000;

/** Conversations put in beside the service's back: with whom they are must not depend on routing here. */
export interface Conversations {
  /** A chat that somebody has, or is offered, with a message and the decision that gave it to them. */
  add(operatorId: string, state?: 'active' | 'offered'): Promise<string>;
  /** Makes somebody connected and free for everything, a video beside a chat included. */
  free(operatorId: string): Promise<string>;
}

export function openConversations({ rows }: Stored, websiteId: number, rankedId: () => string): Conversations {
  const next = `insert into counters (account_id, name, value) values (1, ?, 1)
    on conflict (account_id, name) do update set value = counters.value + 1 returning value`;
  const nextId = async (name: string) => Number((await rows(next, name))[0]?.value);
  const insert = (table: string, row: Readonly<Record<string, string | number | null>>) => {
    const places = Object.keys(row).map(() => '?');
    return rows(`insert into ${table} (${Object.keys(row)}) values (${places})`, ...Object.values(row));
  };
  return {
    add: async (operator, state = 'active') => {
      const operatorId = Number(operator);
      const id = await nextId('conversation');
      const taken = 'update operator_live set chat_slots = chat_slots + 1 where account_id = 1 and operator_id = ?';
      await rows(taken, operatorId);
      await insert('conversations', {
        ...{
          account_id: 1,
          id,
          channel: 'chat',
          website_id: websiteId,
          operator_id: operatorId,
          language: 'en',
          state,
        },
        ...{ created_at: 1, queue_order: 1, offered_at: 2, accepted_at: state === 'active' ? 3 : null },
        ...{ offer_until: state === 'offered' ? LATER : null, message_count: 1 },
      });
      await insert('messages', {
        ...{
          account_id: 1,
          conversation_id: id,
          sequence: 1,
          author_type: 'visitor',
          author_id: 1,
          text: 'Hello',
          at: 1,
        },
      });
      const ranked = [{ operatorId: Number(rankedId()), servedLast: false, priority: 0, share: 0, assignedAt: 0 }];
      await insert('routing_decisions', {
        ...{ account_id: 1, id: await nextId('routing_decision'), conversation_id: id, at: LATER, cause: 'started' },
        ...{ operator_id: operatorId, forced: 0, actor_type: 'system', actor_id: null, excluded: '{"OFFLINE":1}' },
        need: JSON.stringify({ channel: 'chat', websiteId, skillId: null, groupId: null, language: 'en' }),
        ranked: JSON.stringify(ranked),
      });
      return String(id);
    },
    free: async (operatorId) => {
      await rows(
        `update operator_live set lease_until = ${LATER}, routable_until = ${LATER}, chat_enabled = 1, chat_available = 1,
         chat_max_number = 1000, chat_to_video = 1, video_enabled = 1, video_slots = 0, call_slots = 0
         where account_id = 1 and operator_id = ?`,
        Number(operatorId),
      );
      return operatorId;
    },
  };
}
