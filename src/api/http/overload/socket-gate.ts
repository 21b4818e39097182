import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody } from '../request-body.ts';
import { hasSessionCookie } from '../session-cookie.ts';
import type { RequestTraits } from './request-class.ts';

const HEAD_END = '\r\n\r\n';
/** Stricter than the parser: whatever is unusual is left to the parser. */
const GET_REQUEST = /^GET (\/[!-~]*) HTTP\/1\.1\r\n(?:[!#$%&'*+\-.^_`|~\w]+:[\t -~\x80-\xff]*\r\n)*\r\n$/;
/** A GET request with one of these may be followed by a body, or is not an ordinary request. */
const OTHER_THAN_PLAIN =
  /\n(?:content-length|transfer-encoding|upgrade|expect|connection:(?![ \t]*keep-alive[ \t]*\r))/i;

export interface GateAdmission {
  /** Returns the response to a request that is refused; undefined if it can be served. */
  findRefusal(traits: RequestTraits): Buffer | undefined;
  /** Calls `resume` when the next request of this connection can be read. */
  readLater(resume: () => void): void;
}

/**
 * Refuses requests of one connection before they are parsed. Parsing a request and sending a response through node:http
 * takes more than twice as long as refusing it here, and in an overload most requests are refused.
 *
 * It answers only when it is certain that a chunk of bytes is exactly one GET request, and that the previous response
 * was sent. Everything else goes to the parser: pipelined requests, bodies, requests in several chunks. To be certain
 * it needs to know that the parser expects a new request. It knows after it passed on a chunk that ends with its only
 * empty line, and the parser found the end of a request without a body in it.
 */
export class SocketGate {
  readonly #socket: Socket;
  readonly #admission: GateAdmission;
  #runningCount = 0;
  #isBetweenRequests = false;
  #isPassingWholeHead = false;

  constructor(socket: Socket, admission: GateAdmission) {
    this.#socket = socket;
    this.#admission = admission;
    const push = socket.push.bind(socket);
    socket.push = (chunk, encoding) =>
      this.#refuse(chunk) ? this.#pauseReading() : this.#pass(chunk, () => push(chunk, encoding));
    // Without a listener, the parser reads from the operating system directly.
    socket.on('data', () => undefined);
    this.#read();
  }

  /** Called for every request that the parser found. */
  markStarted(request: IncomingMessage): void {
    this.#runningCount += 1;
    this.#isBetweenRequests = this.#isPassingWholeHead && !hasBody(request);
  }

  /** Called when its response was sent. */
  markFinished(): void {
    this.#runningCount -= 1;
  }

  #refuse(chunk: unknown): boolean {
    if (!this.#isBetweenRequests || this.#runningCount > 0 || !(chunk instanceof Buffer)) return false;
    const traits = this.#socket.writableNeedDrain ? undefined : readPlainGet(chunk);
    const refusal = traits && this.#admission.findRefusal(traits);
    if (!refusal) return false;
    this.#socket.write(refusal);
    return true;
  }

  /** Returns false, which stops reading from the connection. */
  #pauseReading(): boolean {
    this.#admission.readLater(() => this.#read());
    return false;
  }

  #read(): void {
    if (!this.#socket.isPaused()) this.#socket._read(0);
  }

  #pass(chunk: unknown, push: () => boolean): boolean {
    this.#isBetweenRequests = false;
    this.#isPassingWholeHead = chunk instanceof Buffer && chunk.indexOf(HEAD_END) === chunk.length - HEAD_END.length;
    try {
      return push();
    } finally {
      this.#isPassingWholeHead = false;
    }
  }
}

/** Returns undefined if the chunk is not exactly one GET request without a body. */
function readPlainGet(chunk: Buffer): RequestTraits | undefined {
  const text = chunk.toString('latin1');
  const url = text.match(GET_REQUEST)?.[1];
  if (url === undefined || OTHER_THAN_PLAIN.test(text)) return undefined;
  return {
    url,
    hasToken: /\nauthorization:/i.test(text) || hasSessionCookie(text),
    hasApiKey: /\nx-api-key:/i.test(text),
  };
}
