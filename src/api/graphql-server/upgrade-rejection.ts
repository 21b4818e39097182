import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type SecurityHeaders, toHeaderLines } from '../http/security-headers.ts';
import { type ErrorCode, graphqlError } from './errors.ts';

interface Rejection {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  /** More header lines. */
  readonly headers?: string;
}

export const UPGRADE_REJECTIONS = {
  otherPage: {
    status: 403,
    code: 'FORBIDDEN',
    message: 'A WebSocket is accepted from known origins only, with a browser session from pages of this service only.',
  },
  tooManyConnections: {
    status: 429,
    code: 'RATE_LIMITED',
    message: 'Too many connections from this address, close some first.',
  },
  wrongProtocol: {
    status: 400,
    code: 'BAD_REQUEST',
    message:
      'The WebSocket protocol graphql-transport-ws is required, as the package graphql-ws has it. The protocol graphql-ws of subscriptions-transport-ws is not supported.',
  },
  wrongVersion: {
    status: 400,
    code: 'BAD_REQUEST',
    message: 'The headers of the WebSocket handshake are not valid. Version 13 is supported.',
    headers: 'Sec-WebSocket-Version: 13\r\n',
  },
  wrongMethod: {
    status: 405,
    code: 'BAD_REQUEST',
    message: 'A WebSocket is opened with GET.',
    headers: 'Allow: GET\r\n',
  },
} as const satisfies Record<string, Rejection>;

/** Answers a handshake that is refused, with a body as over HTTP, and closes the connection. */
export function rejectUpgrade(
  socket: Duplex,
  securityHeaders: SecurityHeaders,
  { status, code, message, headers = '' }: Rejection,
): void {
  const body = JSON.stringify({ errors: [graphqlError(code, message)] });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`,
    headers,
    toHeaderLines(securityHeaders),
    'Content-Type: application/json; charset=utf-8\r\n',
    'Cache-Control: no-store\r\n',
    `Content-Length: ${Buffer.byteLength(body)}\r\n`,
    'Connection: close\r\n\r\n',
  ];
  socket.on('error', () => socket.destroy());
  socket.end(lines.join('') + body);
}
