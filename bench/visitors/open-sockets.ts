import { WebSocket } from 'ws';
import { CONVERSATION_EVENTS, VISITOR_PATH } from '../../simulate/documents.ts';
import { visitorToken } from '../engine/population.ts';

const OPEN_TIMEOUT_MS = 20_000;

/** The page of a visitor that follows a conversation. */
export interface Page {
  readonly visitor: number;
  readonly conversation: number;
  /** The position before the conversation: its first events prove that the subscription works. */
  readonly after: string;
}

/** Open sockets of visitors, one for each page. A socket that is closed by the service is an error. */
export class VisitorSockets {
  readonly #sockets: WebSocket[] = [];
  #lost = 0;
  #isEnding = false;

  get lost(): number {
    return this.#lost;
  }

  /** Resolves when the first event has arrived. */
  open(url: string, { visitor, conversation, after }: Page): Promise<void> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${VISITOR_PATH}`, 'graphql-transport-ws');
    this.#sockets.push(socket);
    const send = (message: object) => socket.send(JSON.stringify(message));
    return new Promise((resolve, reject) => {
      const fail = (reason: string) => reject(new Error(`The socket of visitor ${visitor}: ${reason}`));
      const timeout = setTimeout(() => fail('no event'), OPEN_TIMEOUT_MS);
      socket.once('open', () => send({ type: 'connection_init', payload: { token: visitorToken(visitor) } }));
      socket.on('error', ({ message }) => fail(message));
      socket.once('close', (code) => {
        if (!this.#isEnding) this.#lost += 1;
        fail(`closed with ${code}`);
      });
      socket.on('message', (data) => {
        const { type, payload } = JSON.parse(String(data)) as { type: string; payload?: { errors?: unknown } };
        if (type === 'connection_ack') {
          const variables = { id: String(conversation), after };
          send({ type: 'subscribe', id: '1', payload: { query: CONVERSATION_EVENTS, variables } });
        } else if (type === 'error' || payload?.errors) fail(String(data));
        else if (type === 'ping') send({ type: 'pong' });
        else if (type === 'next') {
          clearTimeout(timeout);
          resolve();
        }
      });
    });
  }

  async close(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(
      this.#sockets.map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.once('close', () => resolve());
            socket.terminate();
          }),
      ),
    );
  }
}
