import type { ZodOpenApiHeadersObject } from 'zod-openapi';
import { headerRefs } from '../../http/openapi.ts';

export const restHeaders = {
  Deprecation: {
    description: 'Time of the deprecation: `@` and a Unix time (RFC 9745).',
    required: true,
    schema: { type: 'string', examples: ['@1794700800'] },
  },
  Link: {
    description: 'The migration page (`rel="deprecation"`) and the successor (`rel="successor-version"`).',
    required: true,
    schema: { type: 'string', examples: ['</docs/migration>; rel="deprecation"; type="text/html"'] },
  },
  Sunset: {
    description: 'Time of the removal (RFC 8594); only if the installation has set a date.',
    schema: { type: 'string', examples: ['Fri, 31 Dec 2027 00:00:00 GMT'] },
  },
  Location: {
    description: 'Path of the created resource.',
    required: true,
    schema: { type: 'string', examples: ['/api/2/operator/42'] },
  },
  'Idempotency-Replayed': {
    description: '`true` when this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
} satisfies ZodOpenApiHeadersObject;

/** References to the headers of every response, and to `otherHeaders`. */
export function responseHeaders(...otherHeaders: string[]): Record<string, { $ref: string }> {
  return headerRefs('Deprecation', 'Link', 'Sunset', 'X-Request-Id', ...otherHeaders);
}
