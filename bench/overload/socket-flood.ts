import { WebSocket } from 'ws';

/** A client that keeps many operations in flight on its connections, in a separate process. */

export interface Flood {
  readonly url: string;
  readonly token: string;
  readonly connections: number;
  readonly inFlight: number;
  readonly query: string;
}

/** Answers so far. */
export interface FloodResult {
  readonly completed: number;
  readonly refused: number;
  /** With any error but a refusal, which tells nothing about the limits. */
  readonly failed: number;
  readonly disconnected: number;
}

const RECONNECT_MS = 100;

const result = { completed: 0, refused: 0, failed: 0, disconnected: 0 };

process.on('message', (message: Flood | 'report') => {
  if (message === 'report') process.send?.(result);
  else for (let n = 0; n < message.connections; n += 1) openConnection(message);
});

function openConnection(flood: Flood): void {
  const socket = new WebSocket(flood.url, 'graphql-transport-ws');
  const payload = { query: flood.query };
  let sent = 0;
  const sendNext = () => {
    sent += 1;
    socket.send(JSON.stringify({ type: 'subscribe', id: `${sent}`, payload }), () => undefined);
  };
  socket.on('error', () => undefined);
  socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: { token: flood.token } })));
  socket.on('message', (data) => {
    const text = String(data);
    if (text.includes('"connection_ack"')) for (let n = 0; n < flood.inFlight; n += 1) sendNext();
    const outcome = findOutcome(text);
    if (!outcome) return;
    result[outcome] += 1;
    sendNext();
  });
  socket.once('close', () => {
    result.disconnected += 1;
    setTimeout(() => openConnection(flood), RECONNECT_MS);
  });
}

/** Undefined for a message that does not end an operation. */
function findOutcome(message: string): 'completed' | 'refused' | 'failed' | undefined {
  if (message.includes('"type":"complete"')) return 'completed';
  if (!message.includes('"type":"error"')) return undefined;
  return message.includes('"RATE_LIMITED"') ? 'refused' : 'failed';
}
