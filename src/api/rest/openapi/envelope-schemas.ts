import { z } from 'zod';

const status = z.literal('success').meta({ description: 'The request succeeded.' });
const successMeta = z.object({ status }).meta({ id: 'Success', description: 'The request succeeded.' });

const pagination = z
  .object({
    page: z.int().min(1).meta({ description: 'Number of this page.' }),
    pages: z.int().min(1).meta({ description: 'Number of pages; at least 1, even for an empty list.' }),
    limit: z.int().min(1).meta({ description: 'Maximum number of items per page.' }),
    count: z.int().min(0).meta({ description: 'Number of items in the whole list.' }),
  })
  .meta({ id: 'Pagination', description: 'Position of this page in the list.' });

export function singleEnvelope(data: z.ZodType) {
  return z.object({ meta: successMeta, data });
}

export function listEnvelope(item: z.ZodType) {
  return z.object({ meta: successMeta, data: z.array(item).meta({ description: 'Newest first.' }), pagination });
}

export function listEnvelopeWithNotice(item: z.ZodType) {
  const notice = z.string().optional().meta({
    description:
      'How many operators were left out because the request filters neither by skill or group nor by the operator.',
  });
  return listEnvelope(item).extend({
    meta: z
      .object({ status, notice })
      .meta({ id: 'SuccessWithNotice', description: 'The request succeeded, with a notice.' }),
  });
}

export const successEnvelope = z.object({ meta: successMeta });

export const messageEnvelope = z.object({
  meta: z
    .object({ status, message: z.string().meta({ description: 'The new state of the operator.' }) })
    .meta({ id: 'SuccessWithMessage', description: 'The request succeeded, with a message.' }),
});

const problem = z
  .object({
    field: z.string().meta({ description: 'The field, in form notation.' }),
    message: z.string().meta({ description: 'What is wrong with it, and what is allowed.' }),
  })
  .meta({ id: 'Problem', description: 'One problem with the input.' });

export const failureEnvelope = z
  .object({
    meta: z
      .object({
        status: z.enum(['fail', 'error']).meta({
          description:
            '`fail`: the data or the target of the request is wrong. `error`: authentication failed, or the service cannot answer.',
        }),
        message: z.string().meta({ description: 'The first problem.' }),
        errors: z.array(problem).optional().meta({ description: 'All problems with the input.' }),
      })
      .meta({ description: 'What went wrong.' }),
  })
  .meta({ id: 'Failure', description: 'The envelope of every error.' });
