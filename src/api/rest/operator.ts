import type { FastifyInstance } from 'fastify';
import type { Administration } from '../../core/administration/administration.ts';
import type { OperatorService } from '../../core/administration/operator-service.ts';
import { RENDERED_TEXT_LIMITS, VersionedCache } from '../../core/kernel/caches.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import {
  findHighestRole,
  type Operator,
  operatorCreate,
  operatorSchema,
  operatorUpdate,
} from '../../core/operators/operator.ts';
import type { OperatorFilters } from '../../core/operators/operator-filter.ts';
import type { OperatorStamp } from '../../core/operators/operator-pages.ts';
import type { OperatorQuery } from '../../core/operators/operator-query.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { readBody } from './body.ts';
import type { ReadCaches } from './cached-reads.ts';
import { renderSingle } from './envelope.ts';
import { WriteMeter } from './meter.ts';
import { toWireKeys } from './names.ts';
import type { Selection } from './query.ts';
import { rejectOtherLink } from './read-only.ts';
import { buildLink, type Resource, readPathId, registerReads, renderObject } from './resource.ts';
import { readInput } from './wire.ts';
import { registerDelete, type WriteResponse, type Writes } from './write.ts';

export const OPERATOR_FILTERS = {
  id: { name: 'id', kind: 'id' },
  group_id: { name: 'groupId', kind: 'id' },
  website_id: { name: 'websiteId', kind: 'id' },
  website_list: { name: 'websiteList', kind: 'id' },
  skill_id: { name: 'skillId', kind: 'id' },
  name: { name: 'name', kind: 'text' },
  external_id: { name: 'externalId', kind: 'text' },
  email: { name: 'email', kind: 'text' },
} as const;

/** The single sign-on key is a secret: a read key sees null. */
function toWireOperator(operator: Operator, ssoKey: string | null) {
  const { roles, callConfig, version: _version, ssoVersion: _ssoVersion, ...rest } = operator;
  const { id, name, firstName, pseudo, email, externalId, ...others } = rest;
  const role = findHighestRole(roles);
  return toWireKeys({ id, name, firstName, pseudo, email, externalId, role, roles, ...others, ssoKey, callConfig }) as {
    id: number;
  };
}

/** Read keys see fewer fields, so they have separate cache entries. */
function toCacheKey({ accountId, canWrite }: Caller, id: number): string {
  return `${accountId}${canWrite ? '+' : '-'}${id}`;
}

/** Renders each version of an operator once. */
class OperatorResource implements Resource<OperatorStamp> {
  readonly name = 'operator';
  readonly schema = operatorSchema;
  readonly filters = OPERATOR_FILTERS;
  readonly #operators: OperatorService;
  readonly #query: OperatorQuery;
  readonly #rendered = new VersionedCache<string>(RENDERED_TEXT_LIMITS);

  constructor({ operators, operatorQuery }: Administration) {
    this.#operators = operators;
    this.#query = operatorQuery;
  }

  page(caller: Caller, filters: OperatorFilters, window: { offset: number; limit: number }) {
    return this.#query.page(caller.accountId, filters, window);
  }

  find(caller: Caller, id: number): Promise<OperatorStamp | undefined> {
    return this.#query.loadStamp(caller.accountId, id);
  }

  async render(caller: Caller, stamps: readonly OperatorStamp[], selection: Selection): Promise<string[]> {
    if (selection !== 'all') {
      const operators = await this.#query.loadByStamps(caller.accountId, stamps);
      return operators.map((operator) => this.#render(caller, operator, selection));
    }
    const load = async (missing: readonly OperatorStamp[]) => {
      const operators = await this.#query.loadByStamps(caller.accountId, missing);
      return operators.map((operator) => {
        const { id, version } = operator;
        return { id, version, value: this.#render(caller, operator, 'all') };
      });
    };
    return this.#rendered.getAll(stamps, ({ id }) => toCacheKey(caller, id), load);
  }

  getRendered(caller: Caller, { id, version }: OperatorStamp): string | undefined {
    return this.#rendered.get(toCacheKey(caller, id), version);
  }

  /** Renders all fields; a replayed response must not contain the secret. */
  renderFull(caller: Caller, operator: Operator, options: { withSecret: boolean }): string {
    const ssoKey = options.withSecret ? this.#operators.deriveSsoKey(caller.accountId, operator) : null;
    return renderObject('operator', toWireOperator(operator, ssoKey), 'all');
  }

  #render(caller: Caller, operator: Operator, selection: Selection): string {
    const ssoKey = caller.canWrite ? this.#operators.deriveSsoKey(caller.accountId, operator) : null;
    return renderObject('operator', toWireOperator(operator, ssoKey), selection);
  }
}

export function registerOperator(
  app: FastifyInstance,
  administration: Administration,
  writes: Writes,
  usage: RestUsage,
  caches: ReadCaches,
): void {
  const { operators } = administration;
  const resource = new OperatorResource(administration);
  registerReads(app, resource, usage, caches);
  const meter = new WriteMeter(usage, resource.name, resource.schema);

  const toResponse = (caller: Caller, operator: Operator, status: number): WriteResponse => ({
    status,
    body: renderSingle(resource.renderFull(caller, operator, { withSecret: true })),
    redactedBody: renderSingle(resource.renderFull(caller, operator, { withSecret: false })),
  });

  app.post('/operator', (request, reply) =>
    writes.run(request, reply, {
      perform: async (commit) => {
        const body = readBody(request);
        const input = readInput(operatorCreate, body);
        meter.count(request.caller, body);
        return operators.create(commit, request.caller, input);
      },
      toResponse: (operator: Operator) => ({
        ...toResponse(request.caller, operator, 201),
        location: `/api/2${buildLink('operator', operator.id)}`,
      }),
    }),
  );

  app.put('/operator/:id', (request, reply) =>
    writes.run(request, reply, {
      perform: async (commit) => {
        const id = readPathId(request, 'operator');
        const body = readBody(request);
        const input = readInput(operatorUpdate, body);
        meter.count(request.caller, body);
        rejectOtherLink('operator', id, input._link);
        return operators.update(commit, request.caller, id, input);
      },
      toResponse: (operator: Operator) => toResponse(request.caller, operator, 200),
    }),
  );

  registerDelete(app, 'operator', operators, writes);
}
