import type { Socket } from 'node:net';

interface SocketError extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/** The body of an answer to something that never became a request. */
export type RenderSocketError = (status: number, message: string) => string;

const LONGEST_ADDRESS = 8 * 1024;

/** Answers what never became a request: a broken request line, chunks that make no sense, headers without end. Tells the status. */
export function answerSocketError(error: SocketError, socket: Socket, render: RenderSocketError): number | undefined {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy(error);
    return undefined;
  }
  const [status, reason, message] = describe(error);
  const body = render(status, message);
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  return status;
}

function describe(error: SocketError): [number, string, string] {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'Request Timeout', 'The request took too long.'];
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return hasLongAddress(error.rawPacket)
      ? [414, 'URI Too Long', 'The address is too long.']
      : [431, 'Request Header Fields Too Large', 'The headers are too large.'];
  }
  return [400, 'Bad Request', 'The request cannot be read.'];
}

/** The parser does not say what overflowed: a first line without end is the address. */
function hasLongAddress(packet: unknown): boolean {
  if (!(packet instanceof Uint8Array)) return false;
  const end = packet.indexOf(0x0d);
  return (end < 0 ? packet.length : end) > LONGEST_ADDRESS;
}
