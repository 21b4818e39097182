import { createDocument } from 'zod-openapi';
import packageJson from '../../../package.json' with { type: 'json' };
import { httpHeaders } from '../http/openapi.ts';
import { oauthComponents, oauthPaths, oauthTags } from '../oauth/openapi.ts';
import { passwordLinkPaths } from '../oauth/openapi-password-link.ts';
import { sessionPaths } from '../oauth/openapi-session.ts';
import { restComponents, restTags } from '../rest/openapi/document.ts';
import { restPaths } from '../rest/openapi/paths.ts';
import { addDefaults, toWireDocument } from '../rest/openapi/wire-schema.ts';
import { otherPaths, otherTags } from './openapi-paths.ts';

const DESCRIPTION = `
Switchboard is a customer-conversation platform. This page describes its token endpoints and its REST interface.

**The REST interface is deprecated.** It remains supported; its successor is GraphQL at \`/graphql\`, which has separate
documentation: see [from REST to GraphQL](/docs/migration).

Every REST response is an envelope: \`meta.status\` is \`success\`, \`fail\` (the data or the target of the request is
wrong) or \`error\` (authentication failed, or the service cannot answer), \`data\` is the resource or a list, and lists
have \`pagination\`. A malformed request gets the same envelope with 400, 408, 414 or 431.

Unknown query parameters are ignored. On writes, only the key is read from the query.
`.trim();

const OPENAPI_VERSION = '3.1.0';
const INFO = {
  title: 'Switchboard',
  version: packageJson.version,
  description: DESCRIPTION,
  contact: { name: 'The administrator of this installation' },
  license: { name: 'MIT', identifier: 'MIT' },
};

/** Builds the OpenAPI document from the schemas that the server validates with. */
export function createOpenApiDocument() {
  const document = toWireDocument(
    createDocument({
      openapi: OPENAPI_VERSION,
      info: INFO,
      servers: [{ url: '/', description: 'The server that serves this document.' }],
      tags: [...restTags, ...oauthTags, ...otherTags],
      paths: { ...restPaths, ...oauthPaths },
      components: {
        ...restComponents,
        headers: { ...httpHeaders, ...restComponents.headers, ...oauthComponents.headers },
        securitySchemes: { ...restComponents.securitySchemes, ...oauthComponents.securitySchemes },
      },
    }),
  );
  // GraphQL, visitors and sessions use camel case.
  const paths = { ...otherPaths, ...sessionPaths, ...passwordLinkPaths };
  const others = createDocument({ openapi: OPENAPI_VERSION, info: INFO, paths });
  const schemas = { ...addDefaults(document.components?.schemas ?? {}), ...others.components?.schemas };
  return {
    ...document,
    paths: { ...document.paths, ...others.paths },
    components: { ...document.components, schemas },
  };
}
