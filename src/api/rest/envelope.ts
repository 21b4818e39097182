import type { FastifyReply } from 'fastify';
import type { RestError } from './errors.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const SUCCESS = '{"meta":{"status":"success"}';

/** One resource, already rendered. */
export function single(data: string): string {
  return `${SUCCESS},"data":${data}}`;
}

/** A write that shows nothing but its success. */
export function done(message?: string): string {
  return message === undefined ? `${SUCCESS}}` : JSON.stringify({ meta: { status: 'success', message } });
}

export interface Pagination {
  readonly page: number;
  readonly limit: number;
  readonly count: number;
}

/** A list of resources, already rendered, with its pagination. */
export function list(items: readonly string[], pagination: Pagination, notice?: string): string {
  return `${listStart(notice)}${items.join(',')}${listEnd(pagination)}`;
}

export function listStart(notice?: string): string {
  const meta = notice === undefined ? SUCCESS : `{"meta":${JSON.stringify({ status: 'success', notice })}`;
  return `${meta},"data":[`;
}

/** There is always a page, also of an empty list: clients loop until the current page is the last. */
export function listEnd({ page, limit, count }: Pagination): string {
  const pages = Math.max(1, Math.ceil(count / limit));
  return `],"pagination":{"page":${page},"pages":${pages},"limit":${limit},"count":${count}}}`;
}

export function failure({ metaStatus, message, errors }: RestError): string {
  return JSON.stringify({ meta: { status: metaStatus, message, ...(errors ? { errors } : {}) } });
}

export function sendJson(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).header('content-type', JSON_TYPE).send(body);
}
