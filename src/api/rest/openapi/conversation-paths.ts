import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { CONVERSATION_FILTERS, conversationSchema } from '../conversation.ts';
import { UNICODE } from '../meter.ts';
import { toWire } from '../names.ts';
import { SATISFACTION_FILTERS, satisfactionSchema } from '../satisfaction.ts';
import { STATISTIC_FILTERS, statisticRowSchema, statisticSchema } from '../statistic.ts';
import { TAG_FILTERS, tagCreateBody, tagSchema, tagUpdateBody } from '../tag.ts';
import { VISITOR_FILTERS, visitorSchema } from '../visitor.ts';
import { listEnvelope, singleEnvelope } from './envelope-schemas.ts';
import * as examples from './examples.ts';
import { answer, read } from './operation.ts';
import { filterParameters, parameterRefs } from './parameters.ts';
import { resourcePaths } from './resource-paths.ts';

const CONVERSATION = 'Conversation';
const PERIOD = {
  from: 'Only what began then or later.',
  to: 'Only what began then or before.',
};

const conversations = resourcePaths({
  name: 'conversation',
  tag: CONVERSATION,
  schema: conversationSchema,
  filters: CONVERSATION_FILTERS,
  meanings: {
    ...PERIOD,
    channel: 'How it was held.',
    website_id: 'The website that the visitor was on.',
    operator_id: 'Who has or had it.',
    visitor_id: 'Identifier of the visitor.',
    skill_id: 'The skill that it asks for.',
    tag_id: 'A tag on it.',
  },
  listNote:
    'The period is at most three months. With one of its ends given it is three months from there; with none, the last three months.',
  example: examples.conversation,
});

const figures = statisticSchema
  .partial()
  .meta({ id: 'Statistic', description: 'Figures by their indicator: all, or those that were asked for.' });
const rows = statisticRowSchema
  .partial()
  .required({ resource: true, resourceId: true })
  .meta({ id: 'StatisticRow', description: 'The figures of one operator, group or skill.' });
const statistic = toWire(examples.statistic) as Record<string, unknown>;

/** Conversations and what belongs to them. */
export const conversationPaths: ZodOpenApiPathsObject = {
  ...conversations,
  ...otherSpelling(conversations),
  ...resourcePaths({
    name: 'visitor',
    tag: CONVERSATION,
    schema: visitorSchema,
    filters: VISITOR_FILTERS,
    meanings: {
      unique_id: 'The name in which the visitor is known outside.',
      website_id: 'A website where the visitor was.',
    },
    example: examples.visitor,
  }),
  ...resourcePaths({
    name: 'satisfaction',
    tag: CONVERSATION,
    schema: satisfactionSchema,
    filters: SATISFACTION_FILTERS,
    meanings: {
      from: 'Only what was answered then or later.',
      to: 'Only what was answered then or before.',
      website_id: 'The website of the conversation.',
      operator_id: 'Whom it is about.',
      conversation_id: 'The conversation.',
    },
    example: examples.satisfaction,
  }),
  ...resourcePaths({
    name: 'tag',
    tag: CONVERSATION,
    schema: tagSchema,
    filters: TAG_FILTERS,
    meanings: { website_id: 'A website that it is for.' },
    example: examples.tag,
    writes: {
      create: tagCreateBody,
      createExample: { name: 'Goodwill', website_id: [1, 2] },
      createNote: 'Left out, `website_id` is all websites of the account. A name that is taken is refused (409).',
      update: tagUpdateBody,
      updateExample: { name: 'Gesture of goodwill' },
      removeNote: 'Takes it off every conversation, too.',
    },
  }),
  '/api/2/statistic': {
    get: read({
      operationId: 'read_statistic',
      tag: CONVERSATION,
      summary: 'Figures',
      description:
        'Without `filters[resource]` one object, keyed by indicator. With it a list with a row for each operator, group or skill, newest first, those without any conversation too. A conversation counts for the group of its operator; while nobody has it, for the group that it asks for.',
      parameters: [
        ...parameterRefs('page', 'limit', 'fields'),
        ...filterParameters(STATISTIC_FILTERS, {
          ...PERIOD,
          channel: 'Conversations of this channel.',
          resource: 'Whose figures are listed.',
          resource_id: 'Only the rows of these, with `filters[resource]`.',
          indicators: 'Only these indicators.',
        }),
      ],
      success: answer('The figures.', z.union([singleEnvelope(figures), listEnvelope(rows)]), {
        meta: { status: 'success' },
        data: statistic,
      }),
    }),
  },
};

/** The same resource under the address that old clients use. */
function otherSpelling(paths: ZodOpenApiPathsObject): ZodOpenApiPathsObject {
  return Object.fromEntries(
    Object.entries(paths).map(([path, { get }]) => [
      path.replace('/conversation', `/conversation${UNICODE}`),
      { get: { ...get, responses: get?.responses ?? {}, operationId: `${get?.operationId}_json_unicode` } },
    ]),
  );
}
