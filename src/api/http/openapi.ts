import type { ZodOpenApiHeadersObject } from 'zod-openapi';

/** Headers that answers of every protocol can carry, for the OpenAPI document. */
export const httpHeaders = {
  'X-Request-Id': {
    description: 'Names the request in the log of the service; give it when you report a problem.',
    required: true,
    schema: { type: 'string', examples: ['5f0c3a91-2k'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 1, examples: [1] },
  },
  Allow: {
    description: 'The methods that this address takes.',
    required: true,
    schema: { type: 'string', examples: ['GET, HEAD, OPTIONS'] },
  },
} satisfies ZodOpenApiHeadersObject;

/** References to headers among the components of the document. */
export function headerRefs(...names: string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
