import type { ZodOpenApiHeadersObject } from 'zod-openapi';
import { headerRefs } from '../../http/openapi.ts';

export const restHeaders = {
  Deprecation: {
    description: 'Since when the interface is deprecated: `@` and a Unix time (RFC 9745).',
    required: true,
    schema: { type: 'string', examples: ['@1794700800'] },
  },
  Link: {
    description: 'The page on migration (`rel="deprecation"`) and the successor (`rel="successor-version"`).',
    required: true,
    schema: { type: 'string', examples: ['</docs/migration>; rel="deprecation"; type="text/html"'] },
  },
  Sunset: {
    description: 'When the interface will be gone (RFC 8594); only where the installation has set a date.',
    schema: { type: 'string', examples: ['Fri, 31 Dec 2027 00:00:00 GMT'] },
  },
  Location: {
    description: 'Path of what was created.',
    required: true,
    schema: { type: 'string', examples: ['/api/2/operator/42'] },
  },
  'Idempotency-Replayed': {
    description: '`true` when this is the kept answer of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
} satisfies ZodOpenApiHeadersObject;

/** The headers of every answer, and some more. */
export function answerHeaders(...more: string[]): Record<string, { $ref: string }> {
  return headerRefs('Deprecation', 'Link', 'Sunset', 'X-Request-Id', ...more);
}
