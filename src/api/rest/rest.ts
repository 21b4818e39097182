import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../../core/access/access.ts';
import type { Administration } from '../../core/administration/administration.ts';
import type { Attachments } from '../../core/attachments/attachments.ts';
import type { Engine } from '../../core/engine/engine.ts';
import type { Events } from '../../core/events/events.ts';
import type { TransactInAccount } from '../../core/kernel/caller.ts';
import { DomainError, unknownId } from '../../core/kernel/errors.ts';
import type { Reports } from '../../core/reports/reports.ts';
import type { Visitors } from '../../core/visitors/visitors.ts';
import type { FallbackHandlers } from '../http/app.ts';
import { createErrorHandler } from '../http/error-handler.ts';
import { HttpError } from '../http/http-error.ts';
import { sendAllowedMethods } from '../http/methods.ts';
import type { QuickReads } from '../http/quick-reads.ts';
import { RouteTable } from '../http/route-table.ts';
import { registerAttachment } from './attachment.ts';
import { authenticate, authenticateFromCache } from './authenticate.ts';
import { CachedReads } from './cached-reads.ts';
import { registerClient } from './client.ts';
import { registerConversation } from './conversation.ts';
import { renderFailure, sendJson } from './envelope.ts';
import { INTERNAL_ERROR, type RestError, toHttpRestError, toRestError } from './errors.ts';
import { ListResponseCache } from './list-response-cache.ts';
import { countEndpoints } from './meter.ts';
import { acceptMultipart } from './multipart.ts';
import { registerOperator } from './operator.ts';
import { registerOperatorLive } from './operator-live.ts';
import { registerOperatorProfile } from './operator-profile.ts';
import { registerOperatorStatistic } from './operator-statistic.ts';
import { registerSatisfaction } from './satisfaction.ts';
import { registerStatistic } from './statistic.ts';
import { registerTag } from './tag.ts';
import { registerTree } from './tree.ts';
import { registerVisitor } from './visitor.ts';
import { registerWebsite } from './website.ts';
import { Writes } from './write.ts';

export const REST_PREFIX = '/api/2';

export interface RestOptions extends Deprecation {
  readonly access: Access;
  readonly events: Events;
  readonly engine: Engine;
  readonly administration: Administration;
  readonly reports: Reports;
  readonly visitors: Visitors;
  readonly attachments: Attachments;
  readonly transactIn: TransactInAccount;
  readonly quickReads: QuickReads;
}

/** `sunset`: the removal date, if decided. */
export interface Deprecation {
  readonly deprecatedSince: Date;
  readonly sunset: Date | undefined;
}

/** Registers the legacy interface under `/api/2`: API keys, the envelope, and deprecation headers on every response. */
export function registerRest(app: FastifyInstance, options: RestOptions): void {
  const routes = new RouteTable();
  app.addHook('onRoute', (route) => routes.add(route));
  acceptMultipart(app);
  countEndpoints(app, options.reports.restUsage);
  const headers = buildRestHeaders(options);

  app.addHook('onRequest', (request, reply, next) => {
    reply.headers(headers);
    if (request.method === 'OPTIONS' || authenticateFromCache(options.access.apiKeys, request)) next();
    else authenticate(options.access.apiKeys, request).then(() => next(), next);
  });
  // Sets the headers again: a request can be rejected before the hook above runs.
  app.setErrorHandler((error, request, reply) => handleError(error, request, reply.headers(headers)));
  app.setNotFoundHandler((request, reply) => handleNotFound(routes, request, reply));

  const { administration, engine, reports } = options;
  const { log } = options.events;
  const { restUsage } = reports;
  const { quickReads, access } = options;
  const caches = {
    lists: new ListResponseCache(log),
    reads: new CachedReads({ quickReads, apiKeys: access.apiKeys, usage: restUsage, prefix: REST_PREFIX, headers }),
  };
  const writes = new Writes(options.transactIn, options.access.idempotency);
  registerOperatorLive(app, engine.live, writes, restUsage, caches);
  registerOperator(app, administration, writes, restUsage, caches);
  registerOperatorProfile(app, administration.operatorQuery, administration.profiles, writes);
  registerOperatorStatistic(app, administration.operatorQuery, reports.statistics, restUsage);
  registerClient(app, options.access.accounts, restUsage);
  registerWebsite(app, administration.websites, writes, restUsage);
  registerTree(app, 'group', administration.groups, writes, restUsage);
  registerTree(app, 'skill', administration.skills, writes, restUsage);
  const conversationSources = {
    ...{ conversationQuery: engine.conversationQuery, tags: administration.tags, log },
    attachmentQuery: options.attachments.query,
  };
  registerConversation(app, conversationSources, restUsage);
  registerAttachment(app, options.attachments);
  registerVisitor(app, options.visitors.query, restUsage);
  registerSatisfaction(app, engine.satisfactionQuery, restUsage);
  registerTag(app, administration.tags, writes, restUsage);
  registerStatistic(app, administration, reports);
}

/** The headers of every REST response, including errors. */
export function buildRestHeaders({ deprecatedSince, sunset }: Deprecation): Record<string, string> {
  return {
    'cache-control': 'no-store',
    deprecation: `@${Math.floor(deprecatedSince.getTime() / 1000)}`,
    link: '</docs/migration>; rel="deprecation"; type="text/html", </graphql>; rel="successor-version"',
    ...(sunset ? { sunset: sunset.toUTCString() } : {}),
  };
}

const handleError = createErrorHandler<RestError>({
  render: toRestError,
  renderInternalError: () => INTERNAL_ERROR,
  send: (reply, error) => sendJson(reply, error.status, renderFailure(error)),
});

/** The body of a response that says so. */
export function renderUnavailable(message: string): string {
  return renderFailure({ status: 503, metaStatus: 'error', message });
}

/** Requests that no protocol handles get the REST envelope. */
export function createFallbackHandlers(deprecation: Deprecation): FallbackHandlers {
  const headers = buildRestHeaders(deprecation);
  return {
    handleError: (error, request, reply) =>
      handleError(error, request, request.url.startsWith(REST_PREFIX) ? reply.headers(headers) : reply),
    renderSocketError: (status, message) => renderFailure(toHttpRestError(new HttpError(status, message))),
  };
}

function handleNotFound(routes: RouteTable, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const sent = sendAllowedMethods(routes, request, reply);
  if (sent) return sent;
  // A preflight request has no key: only the request that follows it learns that the path is unknown.
  if (request.method === 'OPTIONS') return reply.code(204).header('allow', 'OPTIONS').send();
  const [path = ''] = request.url.split('?');
  throw describeUnknown(routes, path);
}

/** Names the unknown part of the path: the resource or, if the resource exists, the id or the whole path after it. */
function describeUnknown(routes: RouteTable, path: string): DomainError {
  const [, api, version, resource = '', ...rest] = path.replace(/\/$/, '').split('/').map(decodePart);
  const exists = routes.findMethods(`/${api}/${version}/${resource}`).length > 0;
  const [id = ''] = rest;
  if (exists && id !== '' && rest.length === 1) return unknownId(resource, id);
  return new DomainError('unknown', `Unknown resource '${exists ? [resource, ...rest].join('/') : resource}'.`);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
