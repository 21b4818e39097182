import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Administration } from '../../core/administration/administration.ts';
import { CHANNELS, type Channel } from '../../core/kernel/channels.ts';
import { invalidField } from '../../core/kernel/errors.ts';
import type { IdFilter } from '../../core/kernel/filters.ts';
import type { Window } from '../../core/kernel/page.ts';
import { type NamedPeriod, periodOf } from '../../core/kernel/period.ts';
import type { Reports } from '../../core/reports/reports.ts';
import type { StatisticsFilters, StatisticsQuestion } from '../../core/reports/statistics.ts';
import { list, sendJson, single } from './envelope.ts';
import { filterUses, ReadMeter } from './meter.ts';
import { wireName } from './names.ts';
import { readFilters, readPaging, readQuery, type Selection, singleSelection } from './query.ts';
import { FIRST_PAGE, windowOf } from './resource.ts';

const amount = (description: string) => z.int().min(0).meta({ description });
const average = (description: string) =>
  z
    .number()
    .min(0)
    .nullable()
    .meta({ description: `${description}, on average; null without any.` });

export const statisticSchema = z
  .object({
    conversationNumber: amount('Conversations that were accepted.'),
    answeredNumber: amount('Conversations that were answered.'),
    firstAnswerSeconds: average('Seconds from the acceptance to the first answer'),
    waitingSeconds: average('Seconds from the beginning to the acceptance'),
    abandonedNumber: amount('Conversations that the visitor, or time, ended before anybody accepted them.'),
    refusedNumber: amount(
      'Conversations that were not taken at all. Counted by website and whole day: null where a channel or a resource is named.',
    ).nullable(),
    satisfactionRate: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({ description: 'Mean of the notes, between 0 and 1; null without surveys.' }),
    experience: amount('Points: 10 for each conversation that was answered and closed.'),
    connectedSeconds: amount('Seconds in which operators were connected, those of all operators meant together.'),
  })
  .meta({ description: 'Figures by their indicator.' });

const RESOURCES = ['operator', 'group', 'skill'] as const;

export const statisticRowSchema = z
  .object({
    resource: z.enum(RESOURCES).meta({ description: 'What the row is about.' }),
    resourceId: z.int().meta({ description: 'Its identifier.' }),
    ...statisticSchema.shape,
  })
  .meta({ description: 'Figures of one operator, group or skill by their indicator.' });

const INDICATORS = Object.keys(statisticSchema.shape).map(wireName);

export const STATISTIC_FILTERS = {
  website_list: { name: 'websiteId', kind: 'id' },
  channel: { name: 'channels', kind: 'words', words: CHANNELS },
  resource: { name: 'resource', kind: 'word', words: RESOURCES },
  resource_id: { name: 'resourceId', kind: 'id' },
  indicators: { name: 'indicators', kind: 'words', words: INDICATORS },
  from: { name: 'from', kind: 'moment' },
  to: { name: 'to', kind: 'moment' },
} as const;

interface Given extends NamedPeriod {
  readonly websiteId?: IdFilter;
  readonly channels?: readonly Channel[];
  readonly resource?: readonly (typeof RESOURCES)[number][];
  readonly resourceId?: IdFilter;
  readonly indicators?: readonly string[];
}

/** One object of figures; with `filters[resource]`, a list with a row for each operator, group or skill. */
export function registerStatistic(app: FastifyInstance, administration: Administration, reports: Reports): void {
  const meter = new ReadMeter(reports.restUsage, filterUses('/statistic', STATISTIC_FILTERS));

  app.get('/statistic', async (request, reply) => {
    const { accountId } = request.caller;
    const query = readQuery(request);
    const paging = readPaging(query) ?? FIRST_PAGE;
    const {
      resource,
      resourceId,
      indicators = INDICATORS,
      from,
      to,
      ...rest
    } = readFilters(query, STATISTIC_FILTERS) as Given;
    const filters = { ...rest, period: periodOf(['filters'], { from, to }) };
    const shown = shownFields(singleSelection(query), indicators);
    const [kind] = resource ?? [];
    if (!kind) {
      if (resourceId) throw invalidField(['filters', 'resource_id'], 'must come with resource');
      const [figures] = await figuresOf(reports, accountId, { subject: 'account', ids: [0], filters }, shown);
      meter.count(request);
      return sendJson(reply, 200, single(JSON.stringify(figures)));
    }
    const { ids, count } = await resourcePage(administration, accountId, kind, resourceId, windowOf(paging));
    const figures = await figuresOf(reports, accountId, { subject: kind, ids, filters }, shown);
    const rows = ids.map((id, index) => JSON.stringify({ resource: kind, resource_id: id, ...figures[index] }));
    meter.count(request);
    return sendJson(reply, 200, list(rows, { ...paging, count }));
  });
}

/** The fields that were asked for among the indicators; clients that send the same `fields` with every call name none of them. */
function shownFields(selection: Selection, indicators: readonly string[]): ReadonlySet<string> {
  const named = selection === 'all' ? [] : indicators.filter((name) => selection.has(name));
  return new Set(named.length > 0 ? named : indicators);
}

/** Which operators, groups or skills a page is about: newest first, those without any conversation among them. */
async function resourcePage(
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

/** Nothing is counted that is not shown. */
async function figuresOf(
  { statistics, connectedTime }: Reports,
  accountId: number,
  question: StatisticsQuestion & { readonly filters: StatisticsFilters },
  shown: ReadonlySet<string>,
): Promise<Record<string, number | null>[]> {
  const { subject, ids, filters } = question;
  const { websiteId, channels, period } = filters;
  const apart = new Set(['refused_number', 'connected_seconds']);
  const counted = shown.difference(apart).size > 0 ? await statistics.of(accountId, question) : [];
  const connected = shown.has('connected_seconds') ? await connectedTime.of(accountId, question) : [];
  const refused =
    shown.has('refused_number') && subject === 'account' && !channels
      ? await statistics.refusedNumber(accountId, { websiteId, period })
      : null;
  return ids.map((_, index) => {
    const all = { ...counted[index], refusedNumber: refused, connectedSeconds: connected[index] ?? 0 };
    const byName = new Map(Object.entries(all).map(([name, value]) => [wireName(name), value]));
    return Object.fromEntries(
      INDICATORS.filter((name) => shown.has(name)).map((name) => [name, byName.get(name) ?? null]),
    );
  });
}
