import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../../core/access/access.ts';
import type { Administration } from '../../core/administration/administration.ts';
import type { Engine } from '../../core/engine/engine.ts';
import type { Events } from '../../core/events/events.ts';
import type { TransactIn } from '../../core/kernel/caller.ts';
import { DomainError } from '../../core/kernel/errors.ts';
import type { Reports } from '../../core/reports/reports.ts';
import type { Visitors } from '../../core/visitors/visitors.ts';
import type { DefaultAnswers } from '../http/app.ts';
import { errorHandler } from '../http/error-handler.ts';
import { HttpError } from '../http/http-error.ts';
import { RouteTable } from '../http/route-table.ts';
import { authenticate, isRemembered } from './authenticate.ts';
import { registerClient } from './client.ts';
import { registerConversation } from './conversation.ts';
import { failure, sendJson } from './envelope.ts';
import { INTERNAL, type RestError, restError } from './errors.ts';
import { ListAnswers } from './list-answers.ts';
import { countEndpoints } from './meter.ts';
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

export interface RestParts extends Deprecation {
  readonly access: Access;
  readonly events: Events;
  readonly engine: Engine;
  readonly administration: Administration;
  readonly reports: Reports;
  readonly visitors: Visitors;
  readonly transactIn: TransactIn;
}

/** When the interface was declared deprecated, and when it will be gone, if that is decided. */
export interface Deprecation {
  readonly deprecatedSince: Date;
  readonly sunset: Date | undefined;
}

/** The legacy interface under `/api/2`: API keys, the envelope, and a note on every answer that it is deprecated. */
export function registerRest(app: FastifyInstance, parts: RestParts): void {
  const routes = new RouteTable();
  app.addHook('onRoute', (route) => routes.add(route));
  countEndpoints(app, parts.reports.restUsage);
  const headers = restHeaders(parts);

  app.addHook('onRequest', (request, reply, next) => {
    reply.headers(headers);
    if (request.method === 'OPTIONS' || isRemembered(parts.access.apiKeys, request)) next();
    else authenticate(parts.access.apiKeys, request).then(() => next(), next);
  });
  // A request that was refused before the hook above ran is an answer of this interface too.
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply.headers(headers)));
  app.setNotFoundHandler((request, reply) => answerNotFound(routes, request, reply));

  const { administration, engine, reports } = parts;
  const { log } = parts.events;
  const { restUsage } = reports;
  const answers = new ListAnswers(log);
  const writes = new Writes(parts.transactIn, parts.access.idempotency);
  registerOperatorLive(app, engine.live, writes, restUsage, answers);
  registerOperator(app, administration, writes, restUsage, answers);
  registerOperatorProfile(app, administration.operatorQuery, administration.profiles, writes);
  registerOperatorStatistic(app, administration.operatorQuery, reports.statistics, restUsage);
  registerClient(app, parts.access.accounts, restUsage);
  registerWebsite(app, administration.websites, writes, restUsage);
  registerTree(app, 'group', administration.groups, writes, restUsage);
  registerTree(app, 'skill', administration.skills, writes, restUsage);
  registerConversation(app, { conversationQuery: engine.conversationQuery, tags: administration.tags, log }, restUsage);
  registerVisitor(app, parts.visitors.query, restUsage);
  registerSatisfaction(app, engine.satisfactionQuery, restUsage);
  registerTag(app, administration.tags, writes, restUsage);
  registerStatistic(app, administration, reports);
}

/** What every answer of this interface carries, also one to a request that reached no handler. */
function restHeaders({ deprecatedSince, sunset }: Deprecation): Record<string, string> {
  return {
    'cache-control': 'no-store',
    deprecation: `@${Math.floor(deprecatedSince.getTime() / 1000)}`,
    link: '</docs/migration>; rel="deprecation"; type="text/html", </graphql>; rel="successor-version"',
    ...(sunset ? { sunset: sunset.toUTCString() } : {}),
  };
}

const answerError = errorHandler<RestError>({
  render: restError,
  renderFault: () => INTERNAL,
  send: (reply, error) => sendJson(reply, error.status, failure(error)),
});

/** Whatever no protocol answers is answered in the form of this one. */
export function defaultAnswers(deprecation: Deprecation): DefaultAnswers {
  const headers = restHeaders(deprecation);
  return {
    error: (error, request, reply) =>
      answerError(error, request, request.url.startsWith(REST_PREFIX) ? reply.headers(headers) : reply),
    socketError: (status, message) => failure({ status, metaStatus: 'fail', message }),
  };
}

function answerNotFound(routes: RouteTable, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ''] = request.url.split('?');
  const methods = routes.methodsOf(path);
  const allow = [...methods, 'OPTIONS'].join(', ');
  if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow).send();
  if (methods.length > 0) {
    reply.header('allow', allow);
    throw new HttpError(405, `The method ${request.method} is not allowed here.`);
  }
  throw new DomainError('unknown', `Unknown resource '${resourceIn(routes, path)}'.`);
}

/** What a path asks for after the base: the resource, or, where that exists, the whole of the rest. */
function resourceIn(routes: RouteTable, path: string): string {
  const [, api, version, resource = '', ...rest] = path.split('/');
  const exists = routes.methodsOf(`/${api}/${version}/${resource}`).length > 0;
  const name = exists ? [resource, ...rest].join('/') : resource;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
