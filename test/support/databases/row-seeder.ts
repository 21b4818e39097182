import type { Insertable } from 'kysely';
import type { Database } from '../../../src/storage/database.ts';
import type { Tables } from '../../../src/storage/tables.ts';

/** Inserts rows of past conversations directly, without the service. */
export interface RowSeeder {
  addConversation(fields: Partial<Insertable<Tables['conversations']>>): Promise<number>;
  addMessage(conversationId: number, fields: Partial<Insertable<Tables['messages']>>): Promise<void>;
  addSatisfaction(conversationId: number, fields?: Partial<Insertable<Tables['satisfactions']>>): Promise<number>;
  addVisitor(fields?: Partial<Insertable<Tables['visitors']>> & { websites?: readonly number[] }): Promise<number>;
  addTag(conversationId: number, tagId: number): Promise<void>;
}

/** Ids count up from 1 in call order. */
export function createRowSeeder(database: Database, accountId = 1): RowSeeder {
  const lastIds = { conversation: 0, satisfaction: 0, visitor: 0 };
  const sequences = new Map<number, number>();
  const insert = <Table extends keyof Tables>(table: Table, row: Insertable<Tables[Table]>) =>
    database.transaction(async ({ db }) => {
      await db
        .insertInto(table)
        .values(row as never)
        .execute();
    });
  return {
    addConversation: async (fields) => {
      lastIds.conversation += 1;
      const base = { websiteId: 1, language: 'en', state: 'closed', channel: 'chat', createdAt: 0 } as const;
      const row = { accountId, id: lastIds.conversation, ...base, ...fields };
      await insert('conversations', row);
      return row.id;
    },
    addMessage: async (conversationId, fields) => {
      const sequence = (sequences.get(conversationId) ?? 0) + 1;
      sequences.set(conversationId, sequence);
      const base = { authorType: 'visitor', text: 'Hello', at: 0 } as const;
      await insert('messages', { accountId, conversationId, sequence, ...base, ...fields });
      await database.transaction(async ({ db }) => {
        await db
          .updateTable('conversations')
          .set({ messageCount: sequence })
          .where('accountId', '=', accountId)
          .where('id', '=', conversationId)
          .execute();
      });
    },
    addSatisfaction: async (conversationId, fields = {}) => {
      lastIds.satisfaction += 1;
      const notes = { noteWelcome: 5, noteResolution: 4, noteDelay: 3, comment: '', createdAt: 0 };
      const row = { accountId, id: lastIds.satisfaction, conversationId, websiteId: 1, ...notes, ...fields };
      await insert('satisfactions', row);
      return row.id;
    },
    addVisitor: async ({ websites = [], ...fields } = {}) => {
      lastIds.visitor += 1;
      const id = fields.id ?? lastIds.visitor;
      const texts = { lastname: '', firstname: '', address: '', city: '', zip: '', country: '', phone: '' };
      const rest = { email: '', browser: '', createdAt: 0, websiteList: JSON.stringify(websites) };
      await insert('visitors', { accountId, id, uniqueId: `unique-${id}`, ...texts, ...rest, ...fields });
      for (const websiteId of websites) await insert('visitorWebsites', { accountId, websiteId, visitorId: id });
      return id;
    },
    addTag: (conversationId, tagId) => insert('conversationTags', { accountId, conversationId, tagId }),
  };
}
