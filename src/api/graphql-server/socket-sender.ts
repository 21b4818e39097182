import type { WebSocket } from 'ws';

/** A close code of our own, in the range that is free for that. */
const TOO_SLOW = 4410;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/**
 * Answers when the system has taken the message: the next one of a subscription is made only then, so a slow reader holds
 * one message of each. Who is too slow is told so, and has the time of a farewell to read it.
 */
export function senderTo(client: WebSocket, slowestMs: number, mostWaiting: number): (text: string) => Promise<void> {
  let waiting = 0;
  const drop = () => client.close(TOO_SLOW, 'Too slow to read');
  return (text) =>
    new Promise((resolve) => {
      if (waiting >= mostWaiting || client.bufferedAmount > MAX_WAITING_BYTES) drop();
      const late = setTimeout(drop, slowestMs);
      waiting += 1;
      // An error means that the connection has ended, which has its own event.
      client.send(text, () => {
        waiting -= 1;
        clearTimeout(late);
        resolve();
      });
    });
}
