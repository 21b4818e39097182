import type { FastifyInstance } from 'fastify';
import type { Administration } from '../../core/administration/administration.ts';
import type { OperatorService } from '../../core/administration/operator-service.ts';
import { TEXTS, VersionedCache } from '../../core/kernel/caches.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import {
  highestRole,
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
import { single } from './envelope.ts';
import type { ListAnswers } from './list-answers.ts';
import { WriteMeter } from './meter.ts';
import { toWire } from './names.ts';
import type { Selection } from './query.ts';
import { refuseOtherLink } from './read-only.ts';
import { linkTo, pathId, type Resource, registerReads, renderObject } from './resource.ts';
import { readInput } from './wire.ts';
import { registerRemove, type WriteAnswer, type Writes } from './write.ts';

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

/** The operator as the interface shows it. The key for single sign-on is a secret: a read key sees null. */
function shown(operator: Operator, ssoKey: string | null) {
  const { roles, callConfig, version: _version, ssoVersion: _ssoVersion, ...rest } = operator;
  const { id, name, firstName, pseudo, email, externalId, ...others } = rest;
  const role = highestRole(roles);
  return toWire({ id, name, firstName, pseudo, email, externalId, role, roles, ...others, ssoKey, callConfig }) as {
    id: number;
  };
}

/** A read key sees less, so what it sees is kept apart. */
function nameOf({ accountId, canWrite }: Caller, id: number): string {
  return `${accountId}${canWrite ? '+' : '-'}${id}`;
}

/** Reads of operators. A version of an operator is rendered once and sent many times. */
class OperatorResource implements Resource<OperatorStamp> {
  readonly name = 'operator';
  readonly schema = operatorSchema;
  readonly filters = OPERATOR_FILTERS;
  readonly #operators: OperatorService;
  readonly #query: OperatorQuery;
  readonly #rendered = new VersionedCache<string>(TEXTS);

  constructor({ operators, operatorQuery }: Administration) {
    this.#operators = operators;
    this.#query = operatorQuery;
  }

  page(caller: Caller, filters: OperatorFilters, window: { offset: number; limit: number }) {
    return this.#query.page(caller.accountId, filters, window);
  }

  find(caller: Caller, id: number): Promise<OperatorStamp | undefined> {
    return this.#query.stamp(caller.accountId, id);
  }

  async render(caller: Caller, stamps: readonly OperatorStamp[], selection: Selection): Promise<string[]> {
    if (selection !== 'all') {
      const operators = await this.#query.ofStamps(caller.accountId, stamps);
      return operators.map((operator) => this.#text(caller, operator, selection));
    }
    const load = async (missing: readonly OperatorStamp[]) => {
      const operators = await this.#query.ofStamps(caller.accountId, missing);
      return operators.map((operator) => {
        const { id, version } = operator;
        return { id, version, value: this.#text(caller, operator, 'all') };
      });
    };
    return this.#rendered.getAll(stamps, ({ id }) => nameOf(caller, id), load);
  }

  rendered(caller: Caller, { id, version }: OperatorStamp): string | undefined {
    return this.#rendered.get(nameOf(caller, id), version);
  }

  /** The full operator, with the secret blanked for a caller who sees it a second time. */
  text(caller: Caller, operator: Operator, options: { withSecret: boolean }): string {
    const ssoKey = options.withSecret ? this.#operators.ssoKeyOf(caller.accountId, operator) : null;
    return renderObject('operator', shown(operator, ssoKey), 'all');
  }

  #text(caller: Caller, operator: Operator, selection: Selection): string {
    const ssoKey = caller.canWrite ? this.#operators.ssoKeyOf(caller.accountId, operator) : null;
    return renderObject('operator', shown(operator, ssoKey), selection);
  }
}

export function registerOperator(
  app: FastifyInstance,
  parts: Administration,
  writes: Writes,
  usage: RestUsage,
  answers: ListAnswers,
): void {
  const { operators } = parts;
  const resource = new OperatorResource(parts);
  registerReads(app, resource, usage, answers);
  const meter = new WriteMeter(usage, resource.name, resource.schema);

  const answer = (caller: Caller, operator: Operator, status: number): WriteAnswer => ({
    status,
    body: single(resource.text(caller, operator, { withSecret: true })),
    withoutSecrets: single(resource.text(caller, operator, { withSecret: false })),
  });

  app.post('/operator', (request, reply) =>
    writes.run(request, reply, {
      perform: async (commit) => {
        const body = readBody(request);
        const input = readInput(operatorCreate, body);
        meter.count(request.caller, body);
        return operators.create(commit, request.caller, input);
      },
      answer: (operator: Operator) => ({
        ...answer(request.caller, operator, 201),
        location: `/api/2${linkTo('operator', operator.id)}`,
      }),
    }),
  );

  app.put('/operator/:id', (request, reply) =>
    writes.run(request, reply, {
      perform: async (commit) => {
        const id = pathId(request, 'operator');
        const body = readBody(request);
        const input = readInput(operatorUpdate, body);
        meter.count(request.caller, body);
        refuseOtherLink('operator', id, input._link);
        return operators.update(commit, request.caller, id, input);
      },
      answer: (operator: Operator) => answer(request.caller, operator, 200),
    }),
  );

  registerRemove(app, 'operator', operators, writes);
}
