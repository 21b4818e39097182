import type { StoredData } from '../../support/databases/stored-data.ts';

const FAR_FUTURE = 4_000_000_000_000;

/** Inserts conversations directly into the database, so that their operator does not depend on routing. */
export interface Conversations {
  /** Adds a chat that an operator has or is offered, with a message and its routing decision. */
  add(operatorId: string, state?: 'active' | 'offered', visitorId?: string): Promise<string>;
  addVisitor(): Promise<string>;
  /** Connects an operator and frees all channels, including video during a chat. */
  makeFree(operatorId: string): Promise<string>;
}

export function openConversations({ query }: StoredData, websiteId: number, rankedId: () => string): Conversations {
  const incrementCounter = `insert into counters (account_id, name, value) values (1, ?, 1)
    on conflict (account_id, name) do update set value = counters.value + 1 returning value`;
  const nextId = async (name: string) => Number((await query(incrementCounter, name))[0]?.value);
  const insert = (table: string, row: Readonly<Record<string, string | number | null>>) => {
    const placeholders = Object.keys(row).map(() => '?');
    return query(`insert into ${table} (${Object.keys(row)}) values (${placeholders})`, ...Object.values(row));
  };
  return {
    addVisitor: async () => {
      const id = await nextId('visitor');
      const texts = { lastname: '', firstname: '', address: '', city: '', zip: '', country: '', phone: '', email: '' };
      const ids = { account_id: 1, id, unique_id: `of conversation ${id}`, external_id: null };
      await insert('visitors', { ...ids, ...texts, browser: '', website_list: `[${websiteId}]`, created_at: 1 });
      return String(id);
    },
    add: async (operator, state = 'active', visitorId) => {
      const operatorId = Number(operator);
      const id = await nextId('conversation');
      const claimSlot = 'update operator_live set chat_slots = chat_slots + 1 where account_id = 1 and operator_id = ?';
      await query(claimSlot, operatorId);
      await insert('conversations', {
        ...{
          account_id: 1,
          id,
          channel: 'chat',
          website_id: websiteId,
          operator_id: operatorId,
          language: 'en',
          state,
          visitor_id: visitorId === undefined ? null : Number(visitorId),
        },
        ...{ created_at: 1, queue_order: 1, offered_at: 2, accepted_at: state === 'active' ? 3 : null },
        ...{ offer_until: state === 'offered' ? FAR_FUTURE : null, message_count: 1 },
      });
      await insert('messages', {
        ...{
          account_id: 1,
          conversation_id: id,
          sequence: 1,
          author_type: 'notice',
          text: 'Ana joined the conversation.',
          at: 1,
          notice_code: 'operator_joined',
          notice_parameters: '{"pseudo":"Ana"}',
        },
      });
      await insert('notes', {
        ...{ account_id: 1, conversation_id: id, id: await nextId('note'), after_sequence: 1 },
        ...{ author_type: 'operator', author_id: operatorId, text: 'A note', at: 1 },
      });
      await insert('attachments', {
        ...{ account_id: 1, id: await nextId('attachment'), conversation_id: id, author_type: 'visitor', author_id: 1 },
        ...{
          state: 'attached',
          name: 'a.png',
          kind: 'image/png',
          size: 0,
          reserved: 0,
          chunks: 0,
          width: 1,
          height: 1,
        },
        ...{ sequence: 1, place: 0, created_at: 1 },
      });
      const ranked = [{ operatorId: Number(rankedId()), servedLast: false, priority: 0, share: 0, assignedAt: 0 }];
      await insert('routing_decisions', {
        ...{
          account_id: 1,
          id: await nextId('routing_decision'),
          conversation_id: id,
          at: FAR_FUTURE,
          cause: 'started',
        },
        ...{ operator_id: operatorId, forced: 0, actor_type: 'system', actor_id: null, excluded: '{"OFFLINE":1}' },
        need: JSON.stringify({ channel: 'chat', websiteId, skillId: null, groupId: null, language: 'en' }),
        ranked: JSON.stringify(ranked),
      });
      return String(id);
    },
    makeFree: async (operatorId) => {
      await query(
        `update operator_live set lease_until = ${FAR_FUTURE}, routable_until = ${FAR_FUTURE}, chat_enabled = 1, chat_available = 1,
         chat_max_number = 1000, chat_to_video = 1, video_enabled = 1, video_slots = 0, call_slots = 0
         where account_id = 1 and operator_id = ?`,
        Number(operatorId),
      );
      return operatorId;
    },
  };
}
