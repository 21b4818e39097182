import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { headerRefs } from '../http/openapi.ts';

/** The tag of GraphQL and the endpoints beside it. */
export const GRAPHQL = 'GraphQL';

export const graphqlErrors = z
  .array(z.looseObject({ message: z.string().meta({ description: 'What is wrong.' }) }))
  .meta({ description: 'The errors; `extensions.code` tells their kind.' });

/** An error in the format of GraphQL. */
export const failure = (description: string, ...headers: string[]) =>
  jsonResponse(description, z.looseObject({ errors: graphqlErrors }), {
    example: { errors: [{ message: description }] },
    headers,
  });

export function jsonResponse(
  description: string,
  schema: z.ZodType,
  { example, headers = [] }: { example: object; headers?: readonly string[] },
): ZodOpenApiResponseObject {
  return {
    description,
    headers: headerRefs('X-Request-Id', ...headers),
    content: { 'application/json': { schema, example } },
  };
}
