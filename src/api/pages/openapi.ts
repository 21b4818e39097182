import { createDocument } from 'zod-openapi';
import packageJson from '../../../package.json' with { type: 'json' };
import { httpHeaders } from '../http/openapi.ts';
import { oauthComponents, oauthPaths, oauthTags } from '../oauth/openapi.ts';
import { restComponents, restTags } from '../rest/openapi/document.ts';
import { restPaths } from '../rest/openapi/paths.ts';
import { asOnTheWire, withDefaultValues } from '../rest/openapi/wire-schema.ts';

const DESCRIPTION = `
Switchboard is a customer-conversation platform. This page describes its token endpoints and its REST interface.

**The REST interface is deprecated.** It works and is kept correct; its successor is GraphQL at \`/graphql\`, which has
its own description: see [from REST to GraphQL](/docs/migration).

Every REST answer is an envelope: \`meta.status\` is \`success\`, \`fail\` (the data or the target of the request is wrong) or
\`error\` (not let in, or a fault of the service), \`data\` is the resource or a list, and lists have \`pagination\`. A request
that is broken before it reaches an operation is answered in the same envelope with 400, 408, 414 or 431.

Unknown query parameters are ignored. On writes the query carries at most the key.
`.trim();

/** The OpenAPI document, made from the schemas that the server itself uses. */
export function openApiDocument() {
  const document = asOnTheWire(
    createDocument({
      openapi: '3.1.0',
      info: {
        title: 'Switchboard',
        version: packageJson.version,
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'The server that this document comes from.' }],
      tags: [...restTags, ...oauthTags],
      paths: { ...restPaths, ...oauthPaths },
      components: {
        ...restComponents,
        headers: { ...httpHeaders, ...restComponents.headers, ...oauthComponents.headers },
        securitySchemes: { ...restComponents.securitySchemes, ...oauthComponents.securitySchemes },
      },
    }),
  );
  const schemas = withDefaultValues(document.components?.schemas ?? {});
  return { ...document, components: { ...document.components, schemas } };
}
