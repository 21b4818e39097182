import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { CONVERSATION_FILTERS, conversationSchema } from '../conversation.ts';
import { JSON_UNICODE_SUFFIX } from '../meter.ts';
import { toWireKeys } from '../names.ts';
import { SATISFACTION_FILTERS, satisfactionSchema } from '../satisfaction.ts';
import { STATISTIC_FILTERS, statisticRowSchema, statisticSchema } from '../statistic.ts';
import { TAG_FILTERS, tagCreateBody, tagSchema, tagUpdateBody } from '../tag.ts';
import { VISITOR_FILTERS, visitorSchema } from '../visitor.ts';
import { listEnvelope, singleEnvelope } from './envelope-schemas.ts';
import * as examples from './examples.ts';
import { responseHeaders } from './headers.ts';
import { describeReadOperation, jsonResponse } from './operation.ts';
import { buildFilterParameters, parameterRefs } from './parameters.ts';
import { buildResourcePaths } from './resource-paths.ts';

const CONVERSATION = 'Conversation';
const PERIOD_FILTERS = {
  from: 'Conversations that started at or after this time.',
  to: 'Conversations that started at or before this time.',
};

const conversations = buildResourcePaths({
  name: 'conversation',
  tag: CONVERSATION,
  schema: conversationSchema,
  filters: CONVERSATION_FILTERS,
  filterDescriptions: {
    ...PERIOD_FILTERS,
    channel: 'Channel of the conversation.',
    website_id: 'The website that the visitor was on.',
    operator_id: 'The operator who has or had the conversation.',
    visitor_id: 'Identifier of the visitor.',
    skill_id: 'The requested skill.',
    tag_id: 'A tag of the conversation.',
  },
  listNote:
    'The period is at most three months. With only `from` or `to` it is the three months after or before that time; with neither, the last three months.',
  example: examples.conversation,
});

const attachment = describeReadOperation(
  {
    operationId: 'read_attachment',
    tag: CONVERSATION,
    summary: 'Read the file of a message',
    description:
      'The bytes of a file at the address that the history of a conversation shows. Pictures are sent inline, everything else as a download.',
    parameters: parameterRefs('id'),
    success: {
      description: 'The file.',
      headers: responseHeaders(),
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    },
  },
  'NotFound',
  'TooManyRequests',
);

const figures = statisticSchema
  .partial()
  .meta({ id: 'Statistic', description: 'Figures by indicator: all, or the requested ones.' });
const rows = statisticRowSchema
  .partial()
  .required({ id: true, resource: true, resourceId: true })
  .meta({ id: 'StatisticRow', description: 'The figures of one operator, group or skill.' });
const statistic = toWireKeys(examples.statistic) as Record<string, unknown>;

/** Conversations, visitors, satisfaction surveys, tags and statistics. */
export const conversationPaths: ZodOpenApiPathsObject = {
  ...conversations,
  ...buildAliasPaths(conversations),
  '/api/2/attachment/{id}': { get: attachment },
  ...buildResourcePaths({
    name: 'visitor',
    tag: CONVERSATION,
    schema: visitorSchema,
    filters: VISITOR_FILTERS,
    filterDescriptions: {
      unique_id: 'Public identifier of the visitor.',
      website_id: 'A website that the visitor has used.',
    },
    example: examples.visitor,
  }),
  ...buildResourcePaths({
    name: 'satisfaction',
    tag: CONVERSATION,
    schema: satisfactionSchema,
    filters: SATISFACTION_FILTERS,
    filterDescriptions: {
      from: 'Surveys answered at or after this time.',
      to: 'Surveys answered at or before this time.',
      website_id: 'The website of the conversation.',
      operator_id: 'The rated operator.',
      conversation_id: 'The conversation.',
    },
    example: examples.satisfaction,
  }),
  ...buildResourcePaths({
    name: 'tag',
    tag: CONVERSATION,
    schema: tagSchema,
    filters: TAG_FILTERS,
    filterDescriptions: { website_id: 'A website that the tag is for.' },
    example: examples.tag,
    writes: {
      create: tagCreateBody,
      createExample: { name: 'Goodwill', website_id: [1, 2] },
      createNote:
        '`website_id` defaults to all websites of the account. A name that is already used is rejected (409).',
      update: tagUpdateBody,
      updateExample: { name: 'Gesture of goodwill' },
      deleteNote: 'Also removes the tag from all conversations.',
    },
  }),
  '/api/2/statistic': {
    get: describeReadOperation({
      operationId: 'read_statistic',
      tag: CONVERSATION,
      summary: 'Statistics of the account',
      description:
        'Returns one object, keyed by indicator. With `filters[resource]`, returns a list with one row per operator, group or skill, newest first, including resources without conversations. A conversation counts for the group of its operator; without an operator, for the requested group.',
      parameters: [
        ...parameterRefs('page', 'limit', 'fields'),
        ...buildFilterParameters(STATISTIC_FILTERS, {
          ...PERIOD_FILTERS,
          website_id: 'Another name of `filters[website_list]`.',
          channel: 'Conversations of this channel.',
          resource: 'Type of resource to list.',
          resource_id: 'Only these resources; requires `filters[resource]`.',
          indicators: 'Only these indicators.',
        }),
      ],
      success: jsonResponse('The figures.', z.union([singleEnvelope(figures), listEnvelope(rows)]), {
        meta: { status: 'success' },
        data: statistic,
      }),
    }),
  },
};

/** Builds the same paths under the URL that old clients use. */
function buildAliasPaths(paths: ZodOpenApiPathsObject): ZodOpenApiPathsObject {
  return Object.fromEntries(
    Object.entries(paths).map(([path, { get }]) => [
      path.replace('/conversation', `/conversation${JSON_UNICODE_SUFFIX}`),
      { get: { ...get, responses: get?.responses ?? {}, operationId: `${get?.operationId}_json_unicode` } },
    ]),
  );
}
