import { ApiClient, type ApiResult } from '../../simulate/api-client.ts';
import * as documents from '../../simulate/documents.ts';
import { Feed } from '../../simulate/feed.ts';
import type { HttpClient } from '../../simulate/http-client.ts';
import { type EventReceived, Journal, type NewEntry, now } from '../../simulate/journal.ts';
import { FIRST_ACCOUNT, operatorToken, visitorToken } from './population.ts';

/** The simulator's clients without a journal. Offers are passed to the benchmark. */

class DiscardingJournal extends Journal {
  override add<One extends NewEntry>(entry: One) {
    return { ...entry, at: now() };
  }
}

const journal = new DiscardingJournal();

export interface Offer {
  readonly conversation: number;
  readonly operator: number;
  /** When the desk was notified. */
  readonly at: number;
}

export interface ArrivedMessage {
  readonly clientId: string;
  /** When the desk was notified. */
  readonly at: number;
}

/** Operators at their desks, spread over the nodes. */
export class Desks {
  readonly #account: number;
  readonly #feeds: Feed[] = [];
  readonly #clients = new Map<number, ApiClient>();
  /** Called with every offer on any desk. */
  onOffer: (offer: Offer) => void = () => undefined;
  /** Called with every message that has a client id, on any desk. */
  onMessage: (message: ArrivedMessage) => void = () => undefined;

  constructor(account = FIRST_ACCOUNT) {
    this.#account = account;
  }

  async open(client: HttpClient, operators: readonly number[]): Promise<void> {
    for (const operator of operators) {
      const token = operatorToken(operator, this.#account);
      const path = documents.OPERATOR_PATH;
      const httpClient = client.forParticipant(operator);
      const api = new ApiClient(httpClient, journal, `operator ${operator}`, { path, token });
      this.#clients.set(operator, api);
      const position = await readEventPosition(api);
      const subscription = {
        ...{ participant: `operator ${operator}` as const, path, token, conversation: null, variables: {} },
        ...{ operation: 'deskEvents', query: documents.DESK_EVENTS },
      };
      const onEvent = ({ type, conversation, message, at }: EventReceived) => {
        if (type === 'conversation.offered' && conversation !== null) this.onOffer({ conversation, operator, at });
        const clientId = message?.clientId;
        if (type === 'message.created' && clientId) this.onMessage({ clientId, at });
      };
      const feed = new Feed(httpClient, journal, subscription, { position, onEvent });
      feed.open();
      this.#feeds.push(feed);
    }
  }

  clientOf(operator: number): ApiClient {
    return this.#clients.get(operator) as ApiClient;
  }

  async close(): Promise<void> {
    await Promise.all(this.#feeds.map((feed) => feed.end('finished')));
  }
}

const EVENT_POSITION = { operation: 'eventPosition', query: documents.EVENT_POSITION };

export async function readEventPosition(api: ApiClient): Promise<string> {
  return requireDone(await api.execute<string>(EVENT_POSITION));
}

export function createVisitorClient(client: HttpClient, id: number, account = FIRST_ACCOUNT): ApiClient {
  return new ApiClient(client.forParticipant(id), journal, `visitor ${id}`, {
    path: documents.VISITOR_PATH,
    token: visitorToken(id, account),
  });
}

export async function startConversation(api: ApiClient): Promise<number> {
  const variables = { input: { channel: 'CHAT' } };
  const request = { operation: 'conversationStart', query: documents.CONVERSATION_START, variables };
  return Number(requireDone(await api.execute<{ conversation: { id: string } }>(request)).conversation.id);
}

export async function acceptOffer(api: ApiClient, conversation: number): Promise<void> {
  const variables = { input: { conversationId: String(conversation) } };
  requireDone(await api.execute({ operation: 'offerAccept', query: documents.OFFER_ACCEPT, variables }));
}

let messageCount = 0;

export async function sendMessage(
  api: ApiClient,
  conversation: number,
  clientId = `bench ${++messageCount}`,
  text = MESSAGE_TEXT,
): Promise<void> {
  const input = { conversationId: String(conversation), clientId, text };
  requireDone(await api.execute({ operation: 'messageSend', query: documents.MESSAGE_SEND, variables: { input } }));
}

const MESSAGE_TEXT = 'Hello, where is my order? It should have been here on Monday.';

/** Returns the times of the request and of the response. */
export async function closeConversation(
  api: ApiClient,
  conversation: number,
): Promise<{ requestedAt: number; at: number }> {
  const variables = { input: { id: String(conversation) } };
  const result = await api.execute({
    operation: 'conversationClose',
    query: documents.CONVERSATION_CLOSE,
    variables,
  });
  requireDone(result);
  return result as { requestedAt: number; at: number };
}

/** A failed request makes the measurement invalid. */
function requireDone<T>(result: ApiResult<T>): T {
  if (result.outcome !== 'done') throw new Error(`Request failed: ${result.code}, ${result.message}`);
  return result.data;
}
