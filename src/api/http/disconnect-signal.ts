import type { FastifyReply } from 'fastify';

/** Returns a signal that is aborted if the client disconnects before the response is sent. */
export function createDisconnectSignal({ raw: response }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (response.closed) abort();
  else response.once('close', abort);
  return controller.signal;
}
