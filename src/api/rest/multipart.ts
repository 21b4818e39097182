import { isUtf8 } from 'node:buffer';
import { getMultipartBoundary, MaxPartsExceededError, parseMultipart } from '@remix-run/multipart-parser';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '../../core/kernel/errors.ts';
import { HttpError } from '../http/http-error.ts';
import { FORM_TYPE, MAX_PARAMETERS } from './body.ts';

/**
 * Accepts `multipart/form-data` without files. The body and the media type become those of the URL-encoded form that
 * says the same, so that the random boundary does not make a retry look like another request.
 */
export function acceptMultipart(app: FastifyInstance): void {
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (request.headers['content-encoding'] !== undefined) return body; // rejected later, as for every media type
      const fields = readFields(request.headers['content-type'] ?? '', body);
      request.raw.headers['content-type'] = FORM_TYPE;
      return Buffer.from(String(new URLSearchParams(fields)));
    },
  );
}

function readFields(contentType: string, body: Buffer): [string, string][] {
  const boundary = getMultipartBoundary(contentType);
  if (!boundary) throw unreadable();
  const fields: [string, string][] = [];
  try {
    for (const part of parseMultipart(body, { boundary, maxParts: MAX_PARAMETERS, maxFileSize: body.length })) {
      if (part.isFile) throw new HttpError(415, 'Files are not accepted: send multipart/form-data without files.');
      if (part.name === undefined) throw unreadable();
      fields.push([part.name, part.text]);
    }
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (error instanceof MaxPartsExceededError)
      throw new DomainError('invalid', `The body must have at most ${MAX_PARAMETERS} parts.`);
    if (isUtf8(body)) throw unreadable();
  }
  if (!isUtf8(body)) throw new DomainError('invalid', 'The body is not valid UTF-8.');
  return fields;
}

function unreadable(): DomainError {
  return new DomainError('invalid', 'The body is not valid multipart/form-data.');
}
