import type { Socket } from 'node:net';

/** Connections whose current request has a deadline of its own, because its body is large. */
const exempted = new WeakSet<Socket>();

/** Exempts a request from the deadline that all others have. Returns a function to call at its end. */
export function exemptFromRequestTimeout(socket: Socket): () => void {
  exempted.add(socket);
  return () => exempted.delete(socket);
}

/** Node reports a request only once for being late, and leaves the reaction to the listener. */
export function isExempted(error: Error & { code?: string }, socket: Socket): boolean {
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && exempted.has(socket);
}
