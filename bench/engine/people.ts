import { type Answer, Asking } from '../../simulate/asking.ts';
import type { Client } from '../../simulate/client.ts';
import * as documents from '../../simulate/documents.ts';
import { Feed } from '../../simulate/feed.ts';
import { Journal, type NewEntry, now, type Told } from '../../simulate/journal.ts';
import { operatorToken, visitorToken } from './population.ts';

/** The simulator's own clients, without their journal: they ask, and what they are told goes to whoever measures. */

class Unwritten extends Journal {
  override add<One extends NewEntry>(entry: One) {
    return { ...entry, at: now() };
  }
}

const journal = new Unwritten();

export interface Offer {
  readonly conversation: number;
  readonly operator: number;
  /** When the desk was told. */
  readonly at: number;
}

/** Operators at their desks, spread over the nodes. */
export class Desks {
  readonly #feeds: Feed[] = [];
  readonly #askings = new Map<number, Asking>();
  /** Called with every offer on any desk. */
  onOffer: (offer: Offer) => void = () => undefined;

  async open(client: Client, operators: readonly number[]): Promise<void> {
    for (const operator of operators) {
      const token = operatorToken(operator);
      const path = documents.OPERATOR_PATH;
      const own = client.for(operator);
      const asking = new Asking(own, journal, `operator ${operator}`, { path, token });
      this.#askings.set(operator, asking);
      const position = Number(required(await asking.ask<string>(POSITION)));
      const followed = {
        ...{ who: `operator ${operator}` as const, path, token, conversation: null, variables: {} },
        ...{ operation: 'deskEvents', query: documents.DESK_EVENTS },
      };
      const onEvent = ({ type, conversation, at }: Told) => {
        if (type === 'conversation.offered' && conversation !== null) this.onOffer({ conversation, operator, at });
      };
      const feed = new Feed(own, journal, followed, { position, onEvent });
      feed.open();
      this.#feeds.push(feed);
    }
  }

  of(operator: number): Asking {
    return this.#askings.get(operator) as Asking;
  }

  async close(): Promise<void> {
    await Promise.all(this.#feeds.map((feed) => feed.end('finished')));
  }
}

const POSITION = { operation: 'eventPosition', query: documents.EVENT_POSITION };

export function visitor(client: Client, id: number): Asking {
  return new Asking(client.for(id), journal, `visitor ${id}`, {
    path: documents.VISITOR_PATH,
    token: visitorToken(id),
  });
}

export async function start(asking: Asking): Promise<number> {
  const variables = { input: { channel: 'CHAT' } };
  const question = { operation: 'conversationStart', query: documents.CONVERSATION_START, variables };
  return Number(required(await asking.ask<{ conversation: { id: string } }>(question)).conversation.id);
}

export async function accept(asking: Asking, conversation: number): Promise<void> {
  const variables = { input: { conversationId: String(conversation) } };
  required(await asking.ask({ operation: 'offerAccept', query: documents.OFFER_ACCEPT, variables }));
}

let written = 0;

export async function write(asking: Asking, conversation: number): Promise<void> {
  written += 1;
  const input = { conversationId: String(conversation), clientId: `bench ${written}`, text: TEXT };
  required(await asking.ask({ operation: 'messageSend', query: documents.MESSAGE_SEND, variables: { input } }));
}

const TEXT = 'Hello, where is my order? It should have been here on Monday.';

/** Answers with when it was asked for and when it was answered. */
export async function close(asking: Asking, conversation: number): Promise<{ askedAt: number; at: number }> {
  const variables = { input: { id: String(conversation) } };
  const answer = await asking.ask({ operation: 'conversationClose', query: documents.CONVERSATION_CLOSE, variables });
  required(answer);
  return answer as { askedAt: number; at: number };
}

/** A bench in which something is not done measures nothing. */
function required<T>(answer: Answer<T>): T {
  if (answer.outcome !== 'done') throw new Error(`Not done: ${answer.code}, ${answer.message}`);
  return answer.data;
}
