import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { profileSchema, profileUpdate } from '../../../core/administration/profile.ts';
import { liveSchema, liveUpdate } from '../../../core/live/live.ts';
import { statisticsSchema } from '../../../core/reports/statistics.ts';
import { toWireKeys } from '../names.ts';
import { OPERATOR_FILTERS } from '../operator.ts';
import { listEnvelopeWithNotice, messageEnvelope, singleEnvelope } from './envelope-schemas.ts';
import * as examples from './examples.ts';
import { describeReadOperation, describeWriteOperation, jsonResponse, requestBody } from './operation.ts';
import { buildFilterParameters, LIVE_PAGING, parameterRefs } from './parameters.ts';
import { buildFullOrPartialSchema } from './wire-schema.ts';

const SUCCESS = { status: 'success' };
const AVAILABILITY = 'Availability';
const OPERATOR = 'Operator';
const LIVE = buildFullOrPartialSchema(liveSchema, 'id');

/** The subresources of an operator: live availability, statistics, profile. */
export const operatorPaths: ZodOpenApiPathsObject = {
  '/api/2/operator/live': {
    get: describeReadOperation({
      operationId: 'list_operator_live',
      tag: AVAILABILITY,
      summary: 'Live availability of all operators',
      description:
        'By default, returns operators who are connected and, on at least one channel, enabled and available. Operators who hold skills or belong to a group are left out, and `meta.notice` says how many, unless the request filters by `skill_id` or `group_id` (`*` matches all) or by the operator (`id`, `email`, `external_id`, `name`).',
      parameters: [...parameterRefs('connected', 'fields'), ...LIVE_PAGING, ...buildFilterParameters(OPERATOR_FILTERS)],
      success: jsonResponse('The live availability of the operators.', listEnvelopeWithNotice(LIVE), {
        meta: {
          ...SUCCESS,
          notice:
            '2 operators who hold skills or belong to a group are left out: include them with filters[skill_id] or filters[group_id] (* means all), or filter by id, email, external_id or name.',
        },
        data: [toWireKeys(examples.live)],
        pagination: { page: 1, pages: 1, limit: 1, count: 1 },
      }),
    }),
  },
  '/api/2/operator/{id}/live': {
    get: describeReadOperation(
      {
        operationId: 'read_operator_live',
        tag: AVAILABILITY,
        summary: 'Live availability of one operator',
        parameters: parameterRefs('id', 'fields'),
        success: singleResponse('The live availability of the operator.', LIVE, examples.live),
      },
      'NotFound',
    ),
    put: describeWriteOperation(
      {
        operationId: 'set_operator_live',
        tag: AVAILABILITY,
        summary: 'Set the availability of an operator',
        description:
          'Sets the availability flags of channels (`chat[available]=1`), or takes the operator offline (`connected=0`, the only allowed value). Several fields can be sent together. Going offline does not change the flags.',
        parameters: parameterRefs('id'),
        body: requestBody(liveUpdate, { chat: { available: true } }),
        success: jsonResponse(
          'The new state of the operator.',
          messageEnvelope,
          {
            meta: {
              ...SUCCESS,
              message: 'Operator is now available for chat channel.',
            },
          },
          'Idempotency-Replayed',
        ),
      },
      'NotFound',
    ),
  },
  '/api/2/operator/{id}/statistic': {
    get: describeReadOperation(
      {
        operationId: 'read_operator_statistic',
        tag: OPERATOR,
        summary: 'Statistics of an operator',
        parameters: parameterRefs('id', 'fields'),
        success: singleResponse(
          'The statistics of the operator.',
          buildFullOrPartialSchema(statisticsSchema, 'id'),
          examples.statistics,
        ),
      },
      'NotFound',
    ),
  },
  '/api/2/operator/{id}/profile': {
    get: describeReadOperation(
      {
        operationId: 'read_operator_profile',
        tag: OPERATOR,
        summary: 'Profile of an operator',
        description: 'Fields without a value are empty.',
        parameters: parameterRefs('id', 'fields'),
        success: singleResponse(
          'The profile of the operator.',
          buildFullOrPartialSchema(profileSchema, 'userId'),
          examples.profile,
        ),
      },
      'NotFound',
    ),
    put: describeWriteOperation(
      {
        operationId: 'update_operator_profile',
        tag: OPERATOR,
        summary: 'Update the profile of an operator',
        description: 'Changes only the given fields.',
        parameters: parameterRefs('id'),
        body: requestBody(profileUpdate, { status: 'Here to help', city: 'Lyon' }),
        success: singleResponse('The updated profile.', profileSchema, examples.profile, 'Idempotency-Replayed'),
      },
      'NotFound',
    ),
  },
};

function singleResponse(
  description: string,
  schema: Parameters<typeof singleEnvelope>[0],
  data: object,
  ...headers: string[]
) {
  return jsonResponse(description, singleEnvelope(schema), { meta: SUCCESS, data: toWireKeys(data) }, ...headers);
}
