import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LiveRequest } from '../../core/engine/presence/live-query.ts';
import type { LiveService, LiveStamp } from '../../core/engine/presence/live-service.ts';
import { TEXTS, VersionedCache } from '../../core/kernel/caches.ts';
import { CHANNELS } from '../../core/kernel/channels.ts';
import { invalidField, unknownId } from '../../core/kernel/errors.ts';
import { type LiveUpdate, liveUpdate, operatorLive } from '../../core/live/live.ts';
import type { Operator } from '../../core/operators/operator.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { readBody } from './body.ts';
import { done, list, listEnd, listStart, type Pagination, sendJson, single } from './envelope.ts';
import type { ListAnswers } from './list-answers.ts';
import { filterUses, ReadMeter } from './meter.ts';
import { toWire } from './names.ts';
import { OPERATOR_FILTERS } from './operator.ts';
import {
  type Paging,
  type Query,
  readFilters,
  readPaging,
  readQuery,
  type Selection,
  singleSelection,
} from './query.ts';
import { pathId, renderPart, windowOf } from './resource.ts';
import { readInput } from './wire.ts';
import type { Writes } from './write.ts';

/** Longer lists are sent while they are read. */
const SENT_AT_ONCE = 2000;

/** Live states as JSON. A version of a live state is rendered once and sent many times. */
class LiveTexts {
  readonly #live: LiveService;
  readonly #rendered = new VersionedCache<string>(TEXTS);

  constructor(live: LiveService) {
    this.#live = live;
  }

  async render(accountId: number, stamps: readonly LiveStamp[], selection: Selection): Promise<string[]> {
    const whole = await this.#whole(accountId, stamps);
    return selection === 'all' ? whole : whole.map((text) => renderPart(JSON.parse(text), selection));
  }

  #whole(accountId: number, stamps: readonly LiveStamp[]): Promise<string[]> {
    const load = async (missing: readonly LiveStamp[]) => {
      const ids = missing.map(({ id }) => id);
      return (await this.#live.states(accountId, ids)).map(({ id, version, state }) => {
        const value = JSON.stringify(toWire(operatorLive(id, state)));
        return { id, version, connected: state.connected, value };
      });
    };
    return this.#rendered.getAll(stamps, (stamp) => keyOf(accountId, stamp), load);
  }
}

/** Being connected ends by time alone, without a new version: so it is part of the name. */
function keyOf(accountId: number, { id, connected }: LiveStamp): string {
  return `${accountId}${connected ? '+' : '-'}${id}`;
}

/** The parameter that shows offline operators too, in the migration meter. */
export const EVERYONE = 'GET /operator/live?connected=0';

export function registerOperatorLive(
  app: FastifyInstance,
  live: LiveService,
  writes: Writes,
  usage: RestUsage,
  answers: ListAnswers,
): void {
  const texts = new LiveTexts(live);
  const filters = filterUses('/operator/live', OPERATOR_FILTERS);
  const meter = new ReadMeter(usage, (query) => [
    ...filters(query),
    ...(readLiveRequest(query).everyone ? [EVERYONE] : []),
  ]);

  app.get('/operator/live', async (request, reply) => {
    const query = readQuery(request);
    const asked = readLiveRequest(query);
    meter.count(request);
    if (asked.everyone) return sendEveryone(request, reply, asked, query);
    const selection = singleSelection(query);
    const body = await answers.answer(request, async () => {
      const { found, pagination, notice } = await look(request, asked, readPaging(query));
      const items: string[] = [];
      for await (const batch of found.batches)
        items.push(...(await texts.render(request.caller.accountId, batch, selection)));
      return { body: list(items, pagination, notice), until: found.until };
    });
    return sendJson(reply, 200, body);
  });

  async function look(request: FastifyRequest, asked: LiveRequest, paging: Paging | undefined) {
    const found = await live.list(request.caller.accountId, asked, paging && windowOf(paging));
    const pagination = { ...(paging ?? { page: 1, limit: Math.max(1, found.count) }), count: found.count };
    return { found, pagination, notice: found.leftOut === 0 ? undefined : noticeOf(found.leftOut) };
  }

  /** Everyone who ever logged in may be many: a long list is sent while it is read. */
  async function sendEveryone(request: FastifyRequest, reply: FastifyReply, asked: LiveRequest, query: Query) {
    const paging = readPaging(query);
    const { found, pagination, notice } = await look(request, asked, paging);
    const selection = singleSelection(query);
    const render = (batch: readonly LiveStamp[]) => texts.render(request.caller.accountId, batch, selection);
    const chunks = streamed(render, found.batches, pagination, notice);
    if (!paging && found.count > SENT_AT_ONCE) {
      return reply.code(200).header('content-type', 'application/json; charset=utf-8').send(Readable.from(chunks));
    }
    let body = '';
    for await (const chunk of chunks) body += chunk;
    return sendJson(reply, 200, body);
  }

  app.get('/operator/:id/live', async (request, reply) => {
    const id = pathId(request, 'operator');
    const stamp = await live.stamp(request.caller.accountId, id);
    const [text] = stamp
      ? await texts.render(request.caller.accountId, [stamp], singleSelection(readQuery(request)))
      : [];
    if (text === undefined) throw unknownId('operator', id);
    return sendJson(reply, 200, single(text));
  });

  app.put('/operator/:id/live', (request, reply) => {
    let messages: string[] = [];
    return writes.run<Operator>(request, reply, {
      perform: async (commit) => {
        const id = pathId(request, 'operator');
        const input = readInput(liveUpdate, readBody(request));
        messages = messagesOf(input);
        return live.update(commit, request.caller, id, input);
      },
      answer: () => ({ status: 200, body: done(messages.join(' ')) }),
    });
  });
}

/** `connected` is a filter of this list too, so that it may stand among the filters. */
function readLiveRequest(query: Query): LiveRequest {
  const { connected: inside, ...rest } = (typeof query.filters === 'object' ? query.filters : {}) as Record<
    string,
    unknown
  >;
  const filters = readFilters({ filters: typeof query.filters === 'object' ? rest : query.filters }, OPERATOR_FILTERS);
  const [path, value] =
    query.connected === undefined ? [['filters', 'connected'], inside] : [['connected'], query.connected];
  if (value !== undefined && value !== '0' && value !== '1') {
    throw invalidField(path, 'must be 0 (offline operators too) or 1');
  }
  return { filters, everyone: value === '0' };
}

function noticeOf(leftOut: number): string {
  const who =
    leftOut === 1
      ? '1 operator who holds skills or belongs to a group is'
      : `${leftOut} operators who hold skills or belong to a group are`;
  return `${who} left out: name them with filters[skill_id] or filters[group_id] (* means all).`;
}

function messagesOf(input: LiveUpdate): string[] {
  const messages = CHANNELS.filter((channel) => input[channel]).map(
    (channel) => `Operator is now ${input[channel]?.available ? 'available' : 'unavailable'} for ${channel} channel.`,
  );
  return input.connected === false ? [...messages, 'Operator is now offline.'] : messages;
}

async function* streamed(
  render: (batch: readonly LiveStamp[]) => Promise<string[]>,
  batches: AsyncIterable<readonly LiveStamp[]>,
  pagination: Pagination,
  notice: string | undefined,
): AsyncIterable<string> {
  let separator = listStart(notice);
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield separator + (await render(batch)).join(',');
    separator = ',';
  }
  yield separator === ',' ? listEnd(pagination) : separator + listEnd(pagination);
}
