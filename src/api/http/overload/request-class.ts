/**
 * Classes of requests, the most important first. In an overload the least important are refused first:
 * - conversation: operators and visitors with a token, who may be in a conversation
 * - integration: other requests with a credential, logins, and new WebSockets
 * - anonymous: pages, new visitor sessions, everything without a credential
 *
 * A class follows from the path and the presence of headers, because checking a credential costs too much in an
 * overload. It is a claim, not a proof: each class is limited, and the credential is checked as usual.
 */
export const REQUEST_CLASSES = ['conversation', 'integration', 'anonymous'] as const;

export type RequestClass = (typeof REQUEST_CLASSES)[number];

/** How requests below a path are treated in an overload. */
export interface PathPolicy {
  readonly prefix: string;
  /** What a request without a token is, and with one. Defaults to anonymous and integration. */
  readonly anonymousClass?: RequestClass;
  readonly tokenClass?: RequestClass;
  readonly refusal: Refusal;
}

/** A response in the format of the protocol. */
export interface Refusal {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RequestTraits {
  readonly url: string;
  /** Whether there is an `Authorization` header, or the cookie of a session. */
  readonly hasToken: boolean;
  /** Whether the header is present. */
  readonly hasApiKey: boolean;
}

export function classifyRequest(policy: PathPolicy, { url, hasToken, hasApiKey }: RequestTraits): RequestClass {
  if (hasToken) return policy.tokenClass ?? 'integration';
  if (hasApiKey || url.includes('key=')) return 'integration';
  return policy.anonymousClass ?? 'anonymous';
}
