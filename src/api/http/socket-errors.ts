import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { httpError } from './http-error.ts';
import { type SecurityHeaders, toHeaderLines } from './security-headers.ts';

interface SocketError extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
}

/** Renders the body of a response to an unparsable request. */
export type RenderSocketError = (status: number, message: string) => string;

const MAX_URL_LENGTH = 8 * 1024;

/** Responds to input that is not a valid request: a malformed request line, oversized headers. Returns the status. */
export function sendSocketError(
  error: SocketError,
  socket: Socket,
  { render, securityHeaders }: { render: RenderSocketError; securityHeaders: SecurityHeaders },
): number | undefined {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy(error);
    return undefined;
  }
  const { status, message } = httpError(toStatus(error));
  const body = render(status, message);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n${toHeaderLines(securityHeaders)}` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  return status;
}

function toStatus(error: SocketError): 400 | 408 | 414 | 431 | 501 {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  if (error.code === 'HPE_INVALID_METHOD') return hasValidRequestLine(error) ? 501 : 400;
  if (error.code !== 'HPE_HEADER_OVERFLOW') return 400;
  return hasLongUrl(error.rawPacket) ? 414 : 431;
}

/** Tells an unknown method from input that is not HTTP. The parser stops within the method. */
function hasValidRequestLine({ rawPacket, bytesParsed = 0 }: SocketError): boolean {
  if (!(rawPacket instanceof Uint8Array)) return false;
  const start = rawPacket.subarray(0, bytesParsed).lastIndexOf(0x0a) + 1;
  const line = Buffer.from(rawPacket.subarray(start, start + MAX_URL_LENGTH)).toString('latin1');
  return /^[\w!#$%&'*+.^`|~-]+ [!-~]+ HTTP\/1\.[01]\r?\n/.test(line);
}

/** The parser does not say what overflowed: if the first line is too long, it was the URL. */
function hasLongUrl(packet: unknown): boolean {
  if (!(packet instanceof Uint8Array)) return false;
  const end = packet.indexOf(0x0d);
  return (end < 0 ? packet.length : end) > MAX_URL_LENGTH;
}
