import type { SiteOperator } from '../fixtures/site.ts';
import { waitUntil } from '../waiting/wait.ts';

const LEASE_MS = 60_000;

/** A conversation as the operator sees it, through the public interface. */
export interface DeskConversation {
  readonly id: string;
  say(text: string): Promise<void>;
  type(): Promise<void>;
  markRead(): Promise<void>;
  close(): Promise<void>;
  /** The texts of all messages in their order, without notices. */
  texts(): Promise<string[]>;
  waitForText(text: string): Promise<void>;
  /** Resolves when the operator sees that the visitor is on this page. */
  waitForPage(address: string, title: string): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  read(fields: string): Promise<any>;
}

/** Accepts the next conversation that is offered to the operator from this website. */
export async function acceptNext(operator: SiteOperator, websiteId: string): Promise<DeskConversation> {
  let id = '';
  await waitUntil('a conversation is offered to the operator', async () => {
    const { data } = await operator.run(
      'query($websiteId:String){conversations(first:1,filter:{state:OFFERED,websiteId:$websiteId}){nodes{id}}}',
      { websiteId },
    );
    id = data.conversations.nodes[0]?.id ?? '';
    return id !== '';
  });
  await operator.acceptOffer(id);
  return openConversation(operator, id);
}

function openConversation(operator: SiteOperator, id: string): DeskConversation {
  const read: DeskConversation['read'] = async (fields) => {
    const { data } = await operator.run(`query($id:ID!){conversation(id:$id){${fields}}}`, { id });
    return data.conversation;
  };
  const texts = async () => {
    const { messages } = await read('messages(last:100){author text}');
    return messages.flatMap(({ author, text }: { author: string; text: string }) =>
      author === 'NOTICE' ? [] : [text],
    );
  };
  return {
    ...{ id, read, texts },
    async say(text) {
      await operator.sendMessage(id, text);
    },
    async type() {
      await operator.runMutation('mutation($input:TypingInput!){typing(input:$input){userErrors{message}}}', {
        input: { conversationId: id },
      });
    },
    async markRead() {
      const { messageCount } = await read('messageCount');
      await operator.runMutation(
        'mutation($input:ConversationReadInput!){conversationRead(input:$input){userErrors{message}}}',
        { input: { id, upTo: messageCount } },
      );
    },
    async close() {
      await operator.runMutation(
        'mutation($input:ConversationCloseInput!){conversationClose(input:$input){userErrors{message}}}',
        { input: { id } },
      );
    },
    waitForPage: (address, title) =>
      waitUntil(`the operator sees ${address}`, async () => {
        const { visitor } = await read('visitor{context{page title}}');
        return visitor.context?.page === address && visitor.context.title === title;
      }),
    waitForText: (text) => waitUntil(`the operator has "${text}"`, async () => (await texts()).includes(text)),
  };
}

export async function setAvailable(operator: SiteOperator, chat: boolean): Promise<void> {
  await operator.runMutation(
    'mutation($input:OperatorAvailabilityUpdateInput!){operatorAvailabilityUpdate(input:$input){userErrors{message}}}',
    { input: { id: operator.id, chat } },
  );
}

/** Keeps an operator connected on a machine of any speed. Returns a function that ends it. */
export function keepConnected(operator: SiteOperator): () => void {
  const timer = setInterval(() => {
    operator.run('mutation{operatorConnect(input:{ttlSeconds:300}){userErrors{message}}}').catch(() => undefined);
  }, LEASE_MS);
  return () => clearInterval(timer);
}
