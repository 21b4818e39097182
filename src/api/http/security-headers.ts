export type SecurityHeaders = Readonly<Record<string, string>>;

/** The headers of every response. `strictTransportSecurity` is undefined without TLS. */
export function createSecurityHeaders(strictTransportSecurity: string | undefined): SecurityHeaders {
  return {
    // Browsers must not guess another media type, for example HTML in an error that repeats its input.
    'x-content-type-options': 'nosniff',
    ...(strictTransportSecurity !== undefined && { 'strict-transport-security': strictTransportSecurity }),
  };
}

/** For responses that are written to the socket. */
export function toHeaderLines(headers: SecurityHeaders): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}
