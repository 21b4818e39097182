import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { createTrustCheck } from './trusted-proxies.ts';

/** Returns a function that finds the public URL of the service, without a slash at the end. */
export function createBaseUrlReader(publicUrl: string | undefined): (request: FastifyRequest) => string {
  const configuredUrl = publicUrl?.replace(/\/$/, '');
  return (request) => configuredUrl ?? buildRequestBaseUrl(request);
}

/** The same for upgrade requests, which fastify does not handle. */
export function createSocketBaseUrlReader(
  publicUrl: string | undefined,
  trustedProxies: readonly string[],
): (request: IncomingMessage) => string {
  const configuredUrl = publicUrl?.replace(/\/$/, '');
  const isTrusted = createTrustCheck(trustedProxies);
  return ({ headers, socket }) => {
    if (configuredUrl !== undefined) return configuredUrl;
    const ownProtocol = 'encrypted' in socket ? 'https' : 'http';
    if (!isTrusted(socket.remoteAddress)) {
      return buildRequestBaseUrl({ protocol: ownProtocol, host: headers.host ?? '', socket });
    }
    const protocol = readLastValue(headers['x-forwarded-proto']) === 'https' ? 'https' : ownProtocol;
    const host = readLastValue(headers['x-forwarded-host']) || (headers.host ?? '');
    return buildRequestBaseUrl({ protocol, host, socket });
  };
}

/** Earlier values may come from the client. */
function readLastValue(header: string | string[] | undefined): string | undefined {
  return [header ?? []].flat().at(-1)?.split(',').at(-1)?.trim();
}

/**
 * Builds the URL from the request. The Host header is untrusted: instead of anything but a plain host, the address of
 * this machine is used.
 */
function buildRequestBaseUrl({ protocol, host, socket }: Pick<FastifyRequest, 'protocol' | 'host' | 'socket'>): string {
  return `${protocol}://${/^[\w.:[\]-]+$/.test(host) ? host : `127.0.0.1:${socket.localPort}`}`;
}
