import type { FastifyReply } from 'fastify';
import type { RestError } from './errors.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
const SUCCESS = '{"meta":{"status":"success"}';

/** `data`: the resource as JSON. */
export function renderSingle(data: string): string {
  return `${SUCCESS},"data":${data}}`;
}

/** The envelope without data. */
export function renderSuccess(message?: string): string {
  return message === undefined ? `${SUCCESS}}` : JSON.stringify({ meta: { status: 'success', message } });
}

export interface Pagination {
  readonly page: number;
  readonly limit: number;
  readonly count: number;
}

/** `items`: the resources as JSON. */
export function renderList(items: readonly string[], pagination: Pagination, notice?: string): string {
  return `${renderListStart(notice)}${items.join(',')}${renderListEnd(pagination)}`;
}

export function renderListStart(notice?: string): string {
  const meta = notice === undefined ? SUCCESS : `{"meta":${JSON.stringify({ status: 'success', notice })}`;
  return `${meta},"data":[`;
}

/** `pages` is at least 1, even for an empty list: clients loop until `page` equals `pages`. */
export function renderListEnd({ page, limit, count }: Pagination): string {
  const pages = Math.max(1, Math.ceil(count / limit));
  return `],"pagination":{"page":${page},"pages":${pages},"limit":${limit},"count":${count}}}`;
}

export function renderFailure({ metaStatus, message, errors }: RestError): string {
  return JSON.stringify({ meta: { status: metaStatus, message, ...(errors ? { errors } : {}) } });
}

export function sendJson(reply: FastifyReply, status: number, body: string | Buffer): FastifyReply {
  return reply.code(status).header('content-type', JSON_TYPE).send(body);
}
