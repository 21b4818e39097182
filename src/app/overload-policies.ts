import { ATTACHMENT_PATH } from '../api/graphql/attachments.ts';
import { renderUnavailable as renderGraphqlUnavailable } from '../api/graphql-server/errors.ts';
import type { PathPolicy, Refusal } from '../api/http/overload/request-class.ts';
import { renderUnavailable as renderOAuthUnavailable } from '../api/oauth/oauth.ts';
import { buildRestHeaders, type Deprecation, REST_PREFIX, renderUnavailable } from '../api/rest/rest.ts';
import { VISITOR_ATTACHMENT_PATH } from '../api/visitor/attachments.ts';
import { RENEW_PATH } from '../api/visitor/session-renewal.ts';

const MESSAGE = 'The service is overloaded. Retry later.';

/** How important the requests of each path are in an overload, and how they are refused. The first match applies. */
export function createOverloadPolicies(deprecation: Deprecation): PathPolicy[] {
  const graphql: Refusal = { headers: {}, body: renderGraphqlUnavailable(MESSAGE) };
  const oauth: Refusal = { headers: {}, body: renderOAuthUnavailable(MESSAGE) };
  const rest: Refusal = { headers: {}, body: renderUnavailable(MESSAGE) };
  return [
    { prefix: '/graphql', tokenClass: 'conversation', refusal: graphql },
    { prefix: '/visitor/graphql', tokenClass: 'conversation', refusal: graphql },
    { prefix: RENEW_PATH, tokenClass: 'conversation', refusal: graphql },
    { prefix: VISITOR_ATTACHMENT_PATH, tokenClass: 'conversation', refusal: graphql },
    { prefix: '/visitor/', refusal: graphql },
    { prefix: ATTACHMENT_PATH, tokenClass: 'conversation', refusal: graphql },
    { prefix: '/oauth2/', anonymousClass: 'integration', refusal: oauth },
    { prefix: '/admin/', anonymousClass: 'integration', refusal: oauth },
    { prefix: '/session', anonymousClass: 'integration', refusal: oauth },
    { prefix: '/_authenticated', refusal: oauth },
    { prefix: REST_PREFIX, refusal: { ...rest, headers: buildRestHeaders(deprecation) } },
    // A page is nothing without its scripts, and they cost little.
    { prefix: '/assets/', anonymousClass: 'integration', tokenClass: 'conversation', refusal: rest },
    { prefix: '', refusal: rest },
  ];
}
