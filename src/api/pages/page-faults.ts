import type { FastifyInstance } from 'fastify';
import { rejectOtherMethods } from '../http/methods.ts';

const PATH = '/page-faults';
const MAX_BODY_BYTES = 16 * 1024;
/** Anyone can send them: more in a minute do not reach the log. */
const MAX_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const MAX_LENGTH = { part: 100, message: 500, stack: 4000 };

/** `POST /page-faults`: a page or the widget could not draw a part of what it shows. It goes to the log. */
export function registerPageFaults(app: FastifyInstance): void {
  let count = 0;
  let minuteEndsAt = 0;
  app.post(PATH, { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const now = performance.now();
    if (now >= minuteEndsAt) {
      minuteEndsAt = now + MINUTE_MS;
      count = 0;
    }
    count += 1;
    if (count <= MAX_PER_MINUTE)
      app.log.warn({ reqId: request.id, fault: parseFault(request.body) }, 'a part of a page could not be shown');
    return reply.code(204).send();
  });
  rejectOtherMethods(app, PATH, 'POST, OPTIONS', 'Method not allowed: use POST.');
}

/** What is not a fault as the pages report them has no part. */
function parseFault(body: unknown): Partial<Record<keyof typeof MAX_LENGTH, string>> {
  const sent = parseJson(String(body ?? ''));
  const entries = Object.entries(MAX_LENGTH).flatMap(([key, length]) => {
    const value = sent[key];
    return typeof value === 'string' ? [[key, value.slice(0, length)]] : [];
  });
  return Object.fromEntries(entries);
}

function parseJson(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
