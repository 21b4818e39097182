import type { ZodOpenApiComponentsObject } from 'zod-openapi';
import { errorResponses } from './errors.ts';
import { restHeaders } from './headers.ts';
import { sharedParameters } from './parameters.ts';

/** The components that the REST paths refer to. */
export const restComponents = {
  headers: restHeaders,
  parameters: sharedParameters,
  responses: errorResponses,
  securitySchemes: {
    keyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The API key in a header.' },
    keyQuery: {
      type: 'apiKey',
      in: 'query',
      name: 'key',
      description: 'The API key in the query. Prefer the header: proxies and browsers store URLs.',
    },
    keyBasic: {
      type: 'http',
      scheme: 'basic',
      description: 'The API key as user name, with any password.',
    },
  },
} satisfies ZodOpenApiComponentsObject;

export const restTags = [
  { name: 'Operator', description: 'Operators, who handle conversations.' },
  { name: 'Availability', description: 'Live availability of operators.' },
  { name: 'Directory', description: 'The account, its websites, its groups and its skills.' },
  { name: 'Conversation', description: 'Conversations, visitors, satisfaction, tags and statistics.' },
];
