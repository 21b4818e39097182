import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { profileSchema, profileUpdate } from '../../../core/administration/profile.ts';
import { liveSchema, liveUpdate } from '../../../core/live/live.ts';
import { statisticsSchema } from '../../../core/reports/statistics.ts';
import { toWire } from '../names.ts';
import { OPERATOR_FILTERS } from '../operator.ts';
import { messageEnvelope, noticedListEnvelope, singleEnvelope } from './envelope-schemas.ts';
import * as examples from './examples.ts';
import { answer, body, read, write } from './operation.ts';
import { filterParameters, LIVE_PAGING, parameterRefs } from './parameters.ts';
import { wholeOrPart } from './wire-schema.ts';

const SUCCESS = { status: 'success' };
const AVAILABILITY = 'Availability';
const OPERATOR = 'Operator';
const LIVE = wholeOrPart(liveSchema, 'id');

/** What an operator has besides its fields: live availability, statistics, profile. */
export const operatorPaths: ZodOpenApiPathsObject = {
  '/api/2/operator/live': {
    get: read({
      operationId: 'list_operator_live',
      tag: AVAILABILITY,
      summary: 'Live availability of all operators',
      description:
        'By default operators who are connected and, on at least one channel, enabled and available. Operators who hold skills or belong to a group are left out, and `meta.notice` says how many, unless the request has a filter on `skill_id` or `group_id` (`*` names them all) or names the person (`id`, `email`, `external_id`).',
      parameters: [...parameterRefs('connected', 'fields'), ...LIVE_PAGING, ...filterParameters(OPERATOR_FILTERS)],
      success: answer('The live availability of the operators.', noticedListEnvelope(LIVE), {
        meta: {
          ...SUCCESS,
          notice:
            '2 operators who hold skills or belong to a group are left out: name them with filters[skill_id] or filters[group_id] (* means all).',
        },
        data: [toWire(examples.live)],
        pagination: { page: 1, pages: 1, limit: 1, count: 1 },
      }),
    }),
  },
  '/api/2/operator/{id}/live': {
    get: read(
      {
        operationId: 'read_operator_live',
        tag: AVAILABILITY,
        summary: 'Live availability of one operator',
        parameters: parameterRefs('id', 'fields'),
        success: single('The live availability of the operator.', LIVE, examples.live),
      },
      'NotFound',
    ),
    put: write(
      {
        operationId: 'set_operator_live',
        tag: AVAILABILITY,
        summary: 'Set the availability of an operator',
        description:
          'Sets the flags of channels (`chat[available]=1`), or takes the operator offline (`connected=0`, the only possible value). Several fields may come at once. Going offline keeps the flags.',
        parameters: parameterRefs('id'),
        body: body(liveUpdate, { chat: { available: true }, call: { available: false } }),
        success: answer(
          'What is true now, in words.',
          messageEnvelope,
          {
            meta: {
              ...SUCCESS,
              message: 'Operator is now available for chat channel. Operator is now unavailable for call channel.',
            },
          },
          'Idempotency-Replayed',
        ),
      },
      'NotFound',
    ),
  },
  '/api/2/operator/{id}/statistic': {
    get: read(
      {
        operationId: 'read_operator_statistic',
        tag: OPERATOR,
        summary: 'Statistics of an operator',
        parameters: parameterRefs('id', 'fields'),
        success: single('The statistics of the operator.', wholeOrPart(statisticsSchema, 'id'), examples.statistics),
      },
      'NotFound',
    ),
  },
  '/api/2/operator/{id}/profile': {
    get: read(
      {
        operationId: 'read_operator_profile',
        tag: OPERATOR,
        summary: 'Profile of an operator',
        description: 'Always answers; fields never filled are empty.',
        parameters: parameterRefs('id', 'fields'),
        success: single('The profile of the operator.', wholeOrPart(profileSchema, 'userId'), examples.profile),
      },
      'NotFound',
    ),
    put: write(
      {
        operationId: 'update_operator_profile',
        tag: OPERATOR,
        summary: 'Change the profile of an operator',
        description: 'Changes the fields that it names and no others.',
        parameters: parameterRefs('id'),
        body: body(profileUpdate, { status: 'Here to help', city: 'Lyon' }),
        success: single('The profile after the change.', profileSchema, examples.profile, 'Idempotency-Replayed'),
      },
      'NotFound',
    ),
  },
};

function single(description: string, schema: Parameters<typeof singleEnvelope>[0], data: object, ...headers: string[]) {
  return answer(description, singleEnvelope(schema), { meta: SUCCESS, data: toWire(data) }, ...headers);
}
