import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Administration } from '../../core/administration/administration.ts';
import { CHANNELS, type Channel } from '../../core/kernel/channels.ts';
import { invalidField } from '../../core/kernel/errors.ts';
import type { IdFilter } from '../../core/kernel/filters.ts';
import type { Window } from '../../core/kernel/page.ts';
import { type RequestedPeriod, toPeriod } from '../../core/kernel/period.ts';
import type { StatisticsFilters, StatisticsRequest } from '../../core/reports/counted-conversations.ts';
import type { Reports } from '../../core/reports/reports.ts';
import { renderList, renderSingle, sendJson } from './envelope.ts';
import { createFilterFeatureReader, ReadMeter } from './meter.ts';
import { toWireName } from './names.ts';
import { readFilters, readPaging, readQuery, readSingleSelection, type Selection } from './query.ts';
import { FIRST_PAGE, toWindow } from './resource.ts';

const amount = (description: string) => z.int().min(0).meta({ description });
const average = (description: string) => z.number().min(0).nullable().meta({ description });

export const statisticSchema = z
  .object({
    conversationNumber: amount('Accepted conversations.'),
    answeredNumber: amount('Conversations that an operator answered.'),
    firstAnswerSeconds: average(
      'Average number of seconds from acceptance to the first answer; null if no conversation was answered.',
    ),
    waitingSeconds: average(
      'Average number of seconds from start to acceptance; null if no conversation was accepted.',
    ),
    abandonedNumber: amount(
      'Conversations that were closed by the visitor or by a timeout before an operator accepted them.',
    ),
    refusedNumber: amount(
      'Conversations refused at the start, because no operator could serve them or the queue was full. Counted per website and day: null with a channel or resource filter.',
    ).nullable(),
    satisfactionRate: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({ description: 'Average survey rating, from 0 to 1; null if there are no surveys.' }),
    experience: amount('Experience points: 10 for each conversation that was answered and closed.'),
    connectedSeconds: amount('Seconds that operators were connected, summed over all matching operators.'),
    contactNumber: amount('Accepted conversations, as `conversation_number`.'),
    contactDuration: average(
      'Average number of seconds from acceptance to the close; for an operator, to the acceptance by the next operator if there is one. Null if no accepted conversation has ended.',
    ),
    contactWaitingDuration: average(
      'Average number of seconds that the conversations of `contact_waiting_number` waited: until acceptance or the close, or until now if they still wait. Null if there are none.',
    ),
    contactWaitingNumber: amount('Conversations that had to wait in the queue, including those that still wait.'),
    contactSimultaneousNumber: average(
      'Average number of active conversations while there was at least one, up to now; null if no conversation was accepted. Returned only if requested by name.',
    ),
  })
  .meta({ description: 'Figures by indicator.' });

const RESOURCES = ['operator', 'group', 'skill'] as const;

export const statisticRowSchema = z
  .object({
    id: z.int().meta({ description: 'Identifier of the resource, as `resource_id`.' }),
    resource: z.enum(RESOURCES).meta({ description: 'Type of resource.' }),
    resourceId: z.int().meta({ description: 'Identifier of the resource.' }),
    ...statisticSchema.shape,
  })
  .meta({ description: 'Figures of one operator, group or skill by indicator.' });

const INDICATORS = Object.keys(statisticSchema.shape).map(toWireName);
/** Sorts all conversations, so it is computed only on request. */
const SIMULTANEOUS = 'contact_simultaneous_number';
const DEFAULT_INDICATORS = INDICATORS.filter((name) => name !== SIMULTANEOUS);

export const STATISTIC_FILTERS = {
  website_list: { name: 'websiteId', kind: 'id' },
  website_id: { name: 'websiteId', kind: 'id' },
  channel: { name: 'channels', kind: 'choices', choices: CHANNELS },
  resource: { name: 'resource', kind: 'choice', choices: RESOURCES },
  resource_id: { name: 'resourceId', kind: 'id' },
  indicators: { name: 'indicators', kind: 'choices', choices: INDICATORS },
  from: { name: 'from', kind: 'dateTime' },
  to: { name: 'to', kind: 'dateTime' },
} as const;

interface StatisticQuery extends RequestedPeriod {
  readonly websiteId?: IdFilter;
  readonly channels?: readonly Channel[];
  readonly resource?: readonly (typeof RESOURCES)[number][];
  readonly resourceId?: IdFilter;
  readonly indicators?: readonly string[];
}

/** Returns one object; with `filters[resource]`, a list with one row per operator, group or skill. */
export function registerStatistic(app: FastifyInstance, administration: Administration, reports: Reports): void {
  const meter = new ReadMeter(reports.restUsage, createFilterFeatureReader('/statistic', STATISTIC_FILTERS));

  app.get('/statistic', async (request, reply) => {
    const { accountId } = request.caller;
    const query = readQuery(request);
    const paging = readPaging(query) ?? FIRST_PAGE;
    const { resource, resourceId, indicators, from, to, ...rest } = readFilters(
      query,
      STATISTIC_FILTERS,
    ) as StatisticQuery;
    const filters = { ...rest, period: toPeriod(['filters'], { from, to }) };
    const selected = selectIndicators(readSingleSelection(query), indicators);
    const [kind] = resource ?? [];
    if (!kind) {
      if (resourceId) throw invalidField(['filters', 'resource_id'], 'requires filters[resource]');
      const [figures] = await computeFigures(reports, accountId, { subject: 'account', ids: [0], filters }, selected);
      meter.count(request.caller, request.url);
      return sendJson(reply, 200, renderSingle(JSON.stringify(figures)));
    }
    const { ids, count } = await loadResourcePage(administration, accountId, kind, resourceId, toWindow(paging));
    const figures = await computeFigures(reports, accountId, { subject: kind, ids, filters }, selected);
    const rows = ids.map((id, index) => JSON.stringify({ id, resource: kind, resource_id: id, ...figures[index] }));
    meter.count(request.caller, request.url);
    return sendJson(reply, 200, renderList(rows, { ...paging, count }));
  });
}

/** Some clients send the same `fields` with every call; if none of them is an indicator, all are returned. */
function selectIndicators(selection: Selection, indicators: readonly string[] | undefined): ReadonlySet<string> {
  const requested = selection === 'all' ? [] : (indicators ?? INDICATORS).filter((name) => selection.has(name));
  return new Set(requested.length > 0 ? requested : (indicators ?? DEFAULT_INDICATORS));
}

/** Loads a page of operators, groups or skills, newest first, including ones without conversations. */
async function loadResourcePage(
  { operatorQuery, groups, skills }: Administration,
  accountId: number,
  kind: (typeof RESOURCES)[number],
  id: IdFilter | undefined,
  window: Window,
): Promise<{ ids: number[]; count: number }> {
  const lists = { operator: operatorQuery, group: groups, skill: skills };
  const { rows, count } = await lists[kind].page(accountId, { id }, window);
  return { ids: rows.map((row) => row.id), count };
}

/** Computes only the selected figures. */
async function computeFigures(
  { statistics, connectedTime, simultaneousConversations }: Reports,
  accountId: number,
  request: StatisticsRequest & { readonly filters: StatisticsFilters },
  selected: ReadonlySet<string>,
): Promise<Record<string, number | null>[]> {
  const { subject, ids, filters } = request;
  const { websiteId, channels, period } = filters;
  const computedSeparately = new Set(['refused_number', 'connected_seconds', SIMULTANEOUS]);
  const counted = selected.difference(computedSeparately).size > 0 ? await statistics.compute(accountId, request) : [];
  const connected = selected.has('connected_seconds') ? await connectedTime.sumSeconds(accountId, request) : [];
  const simultaneous = selected.has(SIMULTANEOUS) ? await simultaneousConversations.average(accountId, request) : [];
  const refused =
    selected.has('refused_number') && subject === 'account' && !channels
      ? await statistics.countRefused(accountId, { websiteId, period })
      : null;
  return ids.map((_, index) => {
    const figures = counted[index];
    const allFigures = {
      ...figures,
      refusedNumber: refused,
      connectedSeconds: connected[index] ?? 0,
      contactNumber: figures?.conversationNumber,
      contactDuration: figures?.durationSeconds,
      contactWaitingDuration: figures?.queuedSeconds,
      contactWaitingNumber: figures?.queuedNumber,
      contactSimultaneousNumber: simultaneous[index],
    };
    const byName = new Map(Object.entries(allFigures).map(([name, value]) => [toWireName(name), value]));
    return Object.fromEntries(
      INDICATORS.filter((name) => selected.has(name)).map((name) => [name, byName.get(name) ?? null]),
    );
  });
}
