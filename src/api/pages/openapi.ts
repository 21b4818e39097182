import { createDocument } from 'zod-openapi';
import packageJson from '../../../package.json' with { type: 'json' };
import { httpHeaders } from '../http/openapi.ts';
import { oauthComponents, oauthPaths, oauthTags } from '../oauth/openapi.ts';
import { restComponents, restTags } from '../rest/openapi/document.ts';
import { restPaths } from '../rest/openapi/paths.ts';
import { addDefaults, toWireDocument } from '../rest/openapi/wire-schema.ts';

const DESCRIPTION = `
Switchboard is a customer-conversation platform. This page describes its token endpoints and its REST interface.

**The REST interface is deprecated.** It remains supported; its successor is GraphQL at \`/graphql\`, which has separate
documentation: see [from REST to GraphQL](/docs/migration).

Every REST response is an envelope: \`meta.status\` is \`success\`, \`fail\` (the data or the target of the request is
wrong) or \`error\` (authentication failed, or the service cannot answer), \`data\` is the resource or a list, and lists
have \`pagination\`. A malformed request gets the same envelope with 400, 408, 414 or 431.

Unknown query parameters are ignored. On writes, only the key is read from the query.
`.trim();

/** Builds the OpenAPI document from the schemas that the server validates with. */
export function createOpenApiDocument() {
  const document = toWireDocument(
    createDocument({
      openapi: '3.1.0',
      info: {
        title: 'Switchboard',
        version: packageJson.version,
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'The server that serves this document.' }],
      tags: [...restTags, ...oauthTags],
      paths: { ...restPaths, ...oauthPaths },
      components: {
        ...restComponents,
        headers: { ...httpHeaders, ...restComponents.headers, ...oauthComponents.headers },
        securitySchemes: { ...restComponents.securitySchemes, ...oauthComponents.securitySchemes },
      },
    }),
  );
  const schemas = addDefaults(document.components?.schemas ?? {});
  return { ...document, components: { ...document.components, schemas } };
}
