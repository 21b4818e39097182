import type { FastifyInstance } from 'fastify';
import { createBaseUrlReader } from '../http/base-url.ts';

export const METADATA_PATH = '/.well-known/oauth-authorization-server';

/** Client credentials are ignored, so clients can use any of these. */
const CLIENT_AUTHENTICATION_METHODS = ['none', 'client_secret_basic', 'client_secret_post'];

/** Describes the token endpoint (RFC 8414), so that client libraries find it. Public: any page can read it. */
export function registerMetadata(app: FastifyInstance, publicUrl: string | undefined): void {
  const getBaseUrl = createBaseUrlReader(publicUrl);
  app.get(METADATA_PATH, async (request, reply) =>
    reply
      .headers({
        'content-type': 'application/json',
        'cache-control': 'public, max-age=3600',
        'access-control-allow-origin': '*',
      })
      .send(JSON.stringify(buildMetadata(getBaseUrl(request)))),
  );
}

export function buildMetadata(issuer: string) {
  return {
    issuer,
    token_endpoint: `${issuer}/oauth2/token`,
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    grant_types_supported: ['password'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION_METHODS,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION_METHODS,
    service_documentation: `${issuer}/docs`,
  };
}
