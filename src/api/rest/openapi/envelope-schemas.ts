import { z } from 'zod';

const status = z.literal('success').meta({ description: 'The request was carried out.' });
const successMeta = z.object({ status }).meta({ id: 'Success', description: 'Nothing but the success.' });

const pagination = z
  .object({
    page: z.int().min(1).meta({ description: 'Number of this page.' }),
    pages: z.int().min(1).meta({ description: 'Number of pages; never below 1, also for an empty list.' }),
    limit: z.int().min(1).meta({ description: 'Items on a page at most.' }),
    count: z.int().min(0).meta({ description: 'Items in the whole list.' }),
  })
  .meta({ id: 'Pagination', description: 'Where in the list this page is.' });

/** One resource. */
export function singleEnvelope(data: z.ZodType) {
  return z.object({ meta: successMeta, data });
}

/** A list of resources. */
export function listEnvelope(item: z.ZodType) {
  return z.object({ meta: successMeta, data: z.array(item).meta({ description: 'Newest first.' }), pagination });
}

export function noticedListEnvelope(item: z.ZodType) {
  const notice = z.string().optional().meta({
    description: 'How many operators were left out because the request does not name their skills or groups.',
  });
  return listEnvelope(item).extend({
    meta: z.object({ status, notice }).meta({ id: 'SuccessWithNotice', description: 'The success, and what to know.' }),
  });
}

/** A write that shows nothing. */
export const doneEnvelope = z.object({ meta: successMeta });

export const messageEnvelope = z.object({
  meta: z
    .object({ status, message: z.string().meta({ description: 'What is true now, in words.' }) })
    .meta({ id: 'SuccessWithMessage', description: 'The success, in words.' }),
});

const problem = z
  .object({
    field: z.string().meta({ description: 'The field, as a form spells it.' }),
    message: z.string().meta({ description: 'What is wrong with it, and what is allowed.' }),
  })
  .meta({ id: 'Problem', description: 'One thing that is wrong with the input.' });

export const failureEnvelope = z
  .object({
    meta: z
      .object({
        status: z.enum(['fail', 'error']).meta({
          description:
            '`fail`: the data or the target of the request is wrong. `error`: not let in, or a fault of the service.',
        }),
        message: z.string().meta({ description: 'The first problem, in words.' }),
        errors: z.array(problem).optional().meta({ description: 'Every problem of the input.' }),
      })
      .meta({ description: 'What went wrong.' }),
  })
  .meta({ id: 'Failure', description: 'The envelope of every error.' });
