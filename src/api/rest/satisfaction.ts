import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { SatisfactionQuery } from '../../core/engine/conversations/satisfaction-query.ts';
import type { Satisfaction } from '../../core/engine/records/satisfaction-store.ts';
import type { Window } from '../../core/kernel/page.ts';
import { type RequestedPeriod, toPeriod } from '../../core/kernel/period.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { toWireDate } from './dates.ts';
import type { Filters } from './query.ts';
import { createPlainResource, registerReads } from './resource.ts';

export const SATISFACTION_FILTERS = {
  id: { name: 'id', kind: 'id' },
  website_id: { name: 'websiteId', kind: 'id' },
  operator_id: { name: 'operatorId', kind: 'id' },
  conversation_id: { name: 'conversationId', kind: 'id' },
  from: { name: 'from', kind: 'dateTime' },
  to: { name: 'to', kind: 'dateTime' },
} as const;

const rating = (description: string) =>
  z
    .int()
    .min(1)
    .max(5)
    .meta({ description: `${description}, from 1 to 5.` });

export const satisfactionSchema = z
  .object({
    id: z.int().meta({ description: 'Survey identifier.' }),
    noteWelcome: rating('Rating of the welcome'),
    noteResolution: rating('Rating of the resolution'),
    nodeDelay: rating('Rating of the delay (the spelling `node_delay` is intentional)'),
    comment: z.string().meta({ description: "The visitor's comment." }),
    createdAt: z.string().meta({
      description: 'When the visitor answered the survey: YYYY-MM-DD HH:MM:SS, UTC.',
      example: '2026-01-31 09:45:00',
    }),
    websiteId: z.int().meta({ description: 'The website of the conversation.' }),
    operatorId: z.int().nullable().meta({ description: 'The rated operator.' }),
    conversationId: z.int().meta({ description: 'The conversation.' }),
  })
  .meta({ id: 'Satisfaction', description: "A visitor's answer to the satisfaction survey of a conversation." });

function toWireSatisfaction(row: Satisfaction): z.output<typeof satisfactionSchema> {
  const { id, noteWelcome, noteResolution, noteDelay, comment, createdAt } = row;
  const { websiteId, operatorId, conversationId } = row;
  return {
    ...{ id, noteWelcome, noteResolution, nodeDelay: noteDelay, comment, createdAt: toWireDate(createdAt) },
    ...{ websiteId, operatorId, conversationId },
  };
}

export function registerSatisfaction(app: FastifyInstance, satisfactions: SatisfactionQuery, usage: RestUsage): void {
  const definition = { name: 'satisfaction', schema: satisfactionSchema, filters: SATISFACTION_FILTERS };
  const rows = {
    page: async (accountId: number, filters: Filters, window: Window) => {
      const { from, to, ...rest } = filters as Filters & RequestedPeriod;
      return satisfactions.page(accountId, { ...rest, period: toPeriod(['filters'], { from, to }) }, window);
    },
    find: (accountId: number, id: number) => satisfactions.find(accountId, id),
  };
  registerReads(app, createPlainResource(definition, rows, toWireSatisfaction), usage);
}
