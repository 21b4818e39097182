import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { HttpError } from './http-error.ts';
import type { RouteTable } from './route-table.ts';

/** The methods of RFC 9110 and PATCH, without CONNECT, which never reaches a route. */
const KNOWN_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

/** Node parses more methods than the service knows. */
export function findMethodError(method: string): HttpError | undefined {
  return KNOWN_METHODS.includes(method) ? undefined : new HttpError(501, `The method ${method} is not known.`);
}

/**
 * For a request that has no route: answers OPTIONS, or rejects the method with the same `Allow`. Returns undefined if the
 * path does not exist.
 */
export function sendAllowedMethods(
  routes: RouteTable,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  const [path = ''] = request.url.split('?');
  const methods = routes.findMethods(path);
  if (methods.length === 0) return undefined;
  reply.header('allow', [...methods, 'OPTIONS'].join(', '));
  if (request.method === 'OPTIONS') return reply.code(204).send();
  throw new HttpError(405, `The method ${request.method} is not allowed here.`);
}

/** Does the same on one path, for protocols that render errors in their own format. */
export function rejectOtherMethods(app: FastifyInstance, url: string, allow: string, message: string): void {
  const isOther = (method: string) => !allow.includes(method) && method !== 'OPTIONS' && method !== 'HEAD';
  app.route({
    method: KNOWN_METHODS.filter(isOther) as HTTPMethods[],
    url,
    handler: async (_request, reply) => {
      reply.header('allow', allow);
      throw new HttpError(405, message);
    },
  });
  app.options(url, async (_request, reply) => reply.code(204).header('allow', allow).send());
}
