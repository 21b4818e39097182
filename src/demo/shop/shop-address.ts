const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const ALL_INTERFACES: readonly string[] = ['0.0.0.0', '::'];

export interface ServiceAddress {
  /** Where the service listens: the setting HOST. */
  readonly host: string;
  /** The address of the service as it is printed: the public one, if it is configured. */
  readonly url: string;
  /** The address on which it listens. */
  readonly localUrl: string;
}

/** The interface on which the shop listens: the same as the service. */
export function findListenHost({ host }: ServiceAddress): string {
  return isLoopback(host) ? '127.0.0.1' : host;
}

/** The port after that of the service. 0, for any, if the service has the last one. */
export function findPreferredPort({ localUrl }: ServiceAddress): number {
  const { port, protocol } = new URL(localUrl);
  return ((port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)) + 1) % 65_536;
}

/**
 * The address of the shop in a browser. It has another host name than the service where this machine has two, so that
 * browsers treat them as different sites; everywhere else it has another port, which is another origin.
 */
export function buildShopUrl(service: ServiceAddress, port: number): string {
  const { protocol } = new URL(service.localUrl);
  return `${protocol}//${findShopHost(service)}:${port}`;
}

function findShopHost({ host, url }: ServiceAddress): string {
  const { hostname } = new URL(url);
  const isLocal = isLoopback(host) || (ALL_INTERFACES.includes(host) && isLoopback(hostname));
  if (isLocal) return hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  if (ALL_INTERFACES.includes(host)) return hostname;
  return host.includes(':') ? `[${host}]` : host;
}

/** The origins from which the shop's pages may be opened: also the other names of this machine. */
export function listShopOrigins(service: ServiceAddress, port: number): string[] {
  const { protocol } = new URL(service.localUrl);
  const hosts = LOOPBACK_HOSTS.map((host) => `${protocol}//${host}:${port}`);
  return [...new Set([buildShopUrl(service, port), ...hosts].map((address) => new URL(address).origin))];
}

function isLoopback(host: string): boolean {
  return LOOPBACK_HOSTS.includes(host) || host === '::1' || /^127(\.\d+){3}$/.test(host);
}
