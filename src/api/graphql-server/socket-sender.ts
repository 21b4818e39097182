import type { WebSocket } from 'ws';

/** A close code from the range for private use. */
const TOO_SLOW = 4410;
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/**
 * Creates a function that sends a message and resolves when the operating system has accepted it. A subscription
 * produces its next message only then, so at most one message per subscription is buffered for a slow client. Clients
 * that are too slow are disconnected with a close frame.
 */
export function createSender(
  client: WebSocket,
  sendTimeoutMs: number,
  maxQueued: number,
): (text: string) => Promise<void> {
  let queued = 0;
  const closeSlowClient = () => client.close(TOO_SLOW, 'Too slow to read');
  return (text) =>
    new Promise((resolve) => {
      if (queued >= maxQueued || client.bufferedAmount > MAX_BUFFERED_BYTES) closeSlowClient();
      const timeout = setTimeout(closeSlowClient, sendTimeoutMs);
      queued += 1;
      // An error means that the connection is closed, which the close event handles.
      client.send(text, () => {
        queued -= 1;
        clearTimeout(timeout);
        resolve();
      });
    });
}
