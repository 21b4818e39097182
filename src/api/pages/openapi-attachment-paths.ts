import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { headerRefs } from '../http/openapi.ts';
import { failure, GRAPHQL, jsonResponse } from './openapi-responses.ts';

const form = z
  .object({
    conversationId: z.string().meta({ description: 'The conversation. Must be sent before the file.' }),
    file: z.string().meta({ description: 'The file.', format: 'binary' }),
  })
  .meta({ id: 'AttachmentForm', description: 'A file for a conversation.' });

const uploaded = z
  .object({
    id: z.string().meta({ description: 'For `attachmentIds` of the mutation `messageSend`.' }),
    name: z.string().meta({ description: 'The name, without a path and with an extension that fits the kind.' }),
    size: z.int().meta({ description: 'Size in bytes.' }),
    kind: z.string().meta({ description: 'Media type, by the content.' }),
    isImage: z.boolean().meta({ description: 'Whether it is a picture that browsers show.' }),
    width: z.int().nullable().meta({ description: 'Width of a picture in pixels.' }),
    height: z.int().nullable().meta({ description: 'Height of a picture in pixels.' }),
  })
  .meta({ id: 'UploadedAttachment', description: 'A file that can be sent with a message within an hour.' });

/** Files of visitors, operators and integrations. */
export const attachmentPaths: ZodOpenApiPathsObject = {
  '/visitor/attachment': {
    post: describeUpload({
      operationId: 'upload_visitor_attachment',
      summary: 'Upload a file of a visitor',
      description: "Takes one file for an open conversation of the visitor, with the visitor's token.",
      security: [{ bearer: [] }],
    }),
  },
  '/attachment': {
    post: describeUpload({
      operationId: 'upload_attachment',
      summary: 'Upload a file of an operator',
      description:
        'Takes one file for an open conversation of the operator. With an API key, the operator of the conversation can send it.',
      security: [{ bearer: [] }, { keyHeader: [] }],
    }),
  },
  '/attachment/{id}': {
    get: {
      operationId: 'download_attachment',
      tags: [GRAPHQL],
      summary: 'Download a file',
      description: 'The `url` of an attachment in GraphQL: signed, and valid for some minutes without a credential.',
      security: [],
      requestParams: {
        path: z.object({ id: z.int().meta({ description: 'The attachment.', example: 1 }) }),
        query: z.object({
          account: z.int().meta({ description: 'The account.', example: 1 }),
          reader: z.enum(['operator', 'visitor']).meta({ description: 'For whom the address was made.' }),
          expires: z.int().meta({ description: 'When the address ends, in milliseconds since 1970.' }),
          signature: z.string().meta({ description: 'The signature of the address.' }),
        }),
      },
      responses: {
        200: {
          description: 'The file: pictures inline, everything else as a download.',
          headers: headerRefs('X-Request-Id'),
          content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
        },
        304: { description: 'Not modified: `If-None-Match` has the current `ETag`.' },
        403: failure('The address was altered or has expired.'),
        404: failure('The file was removed.'),
        405: failure('The method is not allowed here.', 'Allow'),
        429: failure('Too many downloads at the same time from this address.', 'Retry-After'),
        500: failure('Internal error, logged under the request id.'),
        503: failure('The service cannot answer right now.', 'Retry-After'),
      },
    },
  },
};

type UploadDescription = Pick<ZodOpenApiOperationObject, 'operationId' | 'summary' | 'description' | 'security'>;

function describeUpload(description: UploadDescription): ZodOpenApiOperationObject {
  return {
    ...description,
    tags: [GRAPHQL],
    requestBody: {
      description: 'The conversation and then the file.',
      required: true,
      content: { 'multipart/form-data': { schema: form } },
    },
    responses: {
      201: jsonResponse('The file was stored.', uploaded, {
        example: {
          ...{ id: '7', name: 'photo.png', size: 48123, kind: 'image/png' },
          ...{ isImage: true, width: 640, height: 480 },
        },
      }),
      400: failure('The form is not valid, or the upload was interrupted.'),
      401: failure('The credential is missing or not valid.', 'WWW-Authenticate'),
      403: failure('The caller may not write in the conversation.'),
      404: failure('The conversation is unknown.'),
      405: failure('The method is not allowed here.', 'Allow'),
      408: failure('The upload took too long.'),
      409: failure('The conversation is closed, the website takes no files, or a limit is reached.'),
      413: failure('The file is too large.'),
      415: failure('The body is not a form, or files of this kind are not accepted.'),
      429: failure('Too many uploads.', 'Retry-After'),
      500: failure('Internal error, logged under the request id.'),
      503: failure('The service cannot answer right now.', 'Retry-After'),
    },
  };
}
