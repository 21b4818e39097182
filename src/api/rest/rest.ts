import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Accounts } from '../../core/access/accounts.ts';
import type { ApiKeys } from '../../core/access/api-keys.ts';
import type { OperatorService } from '../../core/administration/operator-service.ts';
import type { Profiles } from '../../core/administration/profile.ts';
import type { TagService } from '../../core/administration/tag-service.ts';
import type { TreeService } from '../../core/administration/tree-service.ts';
import type { WebsiteService } from '../../core/administration/website-service.ts';
import type { ConversationQuery } from '../../core/engine/conversations/conversation-query.ts';
import type { SatisfactionQuery } from '../../core/engine/conversations/satisfaction-query.ts';
import type { LiveService } from '../../core/engine/presence/live-service.ts';
import type { EventLog } from '../../core/events/event-log.ts';
import { DomainError } from '../../core/kernel/errors.ts';
import type { OperatorQuery } from '../../core/operators/operator-query.ts';
import type { ConnectedTime } from '../../core/reports/connected-time.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import type { Statistics } from '../../core/reports/statistics.ts';
import type { VisitorQuery } from '../../core/visitors/visitor-query.ts';
import { HttpError } from '../http/http-error.ts';
import { RouteTable } from '../http/route-table.ts';
import { authenticate, isRemembered } from './authenticate.ts';
import { registerClient } from './client.ts';
import { registerConversation } from './conversation.ts';
import { sendError } from './envelope.ts';
import { INTERNAL, restError } from './errors.ts';
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
import type { Writes } from './write.ts';

export interface RestParts {
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
  readonly restUsage: RestUsage;
  readonly operators: OperatorService;
  readonly operatorQuery: OperatorQuery;
  readonly live: LiveService;
  readonly profiles: Profiles;
  readonly statistics: Statistics;
  readonly connectedTime: ConnectedTime;
  readonly conversationQuery: ConversationQuery;
  readonly visitorQuery: VisitorQuery;
  readonly satisfactionQuery: SatisfactionQuery;
  readonly tags: TagService;
  readonly websites: WebsiteService;
  readonly groups: TreeService;
  readonly skills: TreeService;
  readonly events: EventLog;
  readonly writes: Writes;
  /** When the interface was declared deprecated, and when it will be gone, if that is decided. */
  readonly deprecatedSince: Date;
  readonly sunset: Date | undefined;
}

/** The legacy interface under `/api/2`: API keys, the envelope, and a note on every answer that it is deprecated. */
export function registerRest(app: FastifyInstance, parts: RestParts): void {
  const routes = new RouteTable();
  app.addHook('onRoute', (route) => routes.add(route));
  countEndpoints(app, parts.restUsage);
  const headers = restHeaders(parts);

  app.addHook('onRequest', (request, reply, next) => {
    reply.headers(headers);
    if (request.method === 'OPTIONS' || isRemembered(parts.apiKeys, request)) next();
    else authenticate(parts.apiKeys, request).then(() => next(), next);
  });
  // A request that was refused before the hook above ran is an answer of this interface too.
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply.headers(headers)));
  app.setNotFoundHandler((request, reply) => answerNotFound(routes, request, reply));

  const answers = new ListAnswers(parts.events);
  const { writes, restUsage } = parts;
  registerOperatorLive(app, parts.live, writes, restUsage, answers);
  registerOperator(app, parts, writes, restUsage, answers);
  registerOperatorProfile(app, parts.operatorQuery, parts.profiles, writes);
  registerOperatorStatistic(app, parts.operatorQuery, parts.statistics, restUsage);
  registerClient(app, parts.accounts, restUsage);
  registerWebsite(app, parts.websites, writes, restUsage);
  registerTree(app, 'group', parts.groups, writes, restUsage);
  registerTree(app, 'skill', parts.skills, writes, restUsage);
  registerConversation(app, parts, restUsage);
  registerVisitor(app, parts.visitorQuery, restUsage);
  registerSatisfaction(app, parts.satisfactionQuery, restUsage);
  registerTag(app, parts.tags, writes, restUsage);
  registerStatistic(app, parts, restUsage);
}

/** What every answer of this interface carries, also one to a request that reached no handler. */
export function restHeaders({
  deprecatedSince,
  sunset,
}: Pick<RestParts, 'deprecatedSince' | 'sunset'>): Record<string, string> {
  return {
    'cache-control': 'no-store',
    deprecation: `@${Math.floor(deprecatedSince.getTime() / 1000)}`,
    link: '</docs/migration>; rel="deprecation"; type="text/html", </graphql>; rel="successor-version"',
    ...(sunset ? { sunset: sunset.toUTCString() } : {}),
  };
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = restError(error);
  if (!known) request.log.error({ err: error, reqId: request.id }, 'request failed');
  return sendError(reply, known ?? INTERNAL);
}

function answerNotFound(routes: RouteTable, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ''] = request.url.split('?');
  const allowed = routes.methodsOf(path);
  if (request.method === 'OPTIONS') {
    return reply
      .code(204)
      .header('allow', [...allowed, 'OPTIONS'].join(', '))
      .send();
  }
  if (allowed.length > 0) {
    reply.header('allow', [...allowed, 'OPTIONS'].join(', '));
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
