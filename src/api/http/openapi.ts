import type { ZodOpenApiHeadersObject } from 'zod-openapi';

/** Response headers of all protocols, for the OpenAPI document. */
export const httpHeaders = {
  'X-Request-Id': {
    description: 'Identifies the request in the server log; include it when you report a problem.',
    required: true,
    schema: { type: 'string', examples: ['5f0c3a91-2k'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before retrying.',
    schema: { type: 'integer', minimum: 1, examples: [1] },
  },
  Allow: {
    description: 'Methods allowed for this URL.',
    required: true,
    schema: { type: 'string', examples: ['GET, HEAD, OPTIONS'] },
  },
} satisfies ZodOpenApiHeadersObject;

export function headerRefs(...names: string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
