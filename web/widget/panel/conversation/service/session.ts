import type { Stored } from '../../stored.ts';
import { Failure, toFailure } from './failure.ts';
import { type Answer, request } from './request.ts';

const RENEW_BEFORE_MS = 60 * 60_000;

/** The visitor's token. Opened when the visitor starts something, renewed before it ends, shared by all tabs. */
export class Session {
  readonly #service: string;
  readonly #stored: Stored;
  /** The body of a new session. */
  readonly #describe: () => object;
  #pending: Promise<string> | undefined;

  constructor(service: string, stored: Stored, describe: () => object) {
    this.#service = service;
    this.#stored = stored;
    this.#describe = describe;
  }

  async getToken(): Promise<string> {
    const { token, expiresAt = 0 } = this.#stored.values;
    if (!token || expiresAt <= Date.now()) return this.#once(() => this.#open());
    if (expiresAt - Date.now() < RENEW_BEFORE_MS) this.#once(() => this.#renew(token)).catch(() => undefined);
    return token;
  }

  /** The service does not accept the token. Another tab may have a new one already. */
  drop(token: string): void {
    if (this.#stored.values.token === token) this.#stored.set({ token: undefined });
  }

  #once(work: () => Promise<string>): Promise<string> {
    this.#pending ??= work().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #open(): Promise<string> {
    return this.#keep(await request(`${this.#service}visitor/session`, { body: JSON.stringify(this.#describe()) }));
  }

  async #renew(token: string): Promise<string> {
    return this.#keep(await request(`${this.#service}visitor/session/renew`, { body: '', token }));
  }

  #keep(answer: Answer): string {
    const { status, body } = answer;
    if (status !== 201) throw toFailure(answer) ?? new Failure('refused');
    this.#stored.set({ token: body.token, expiresAt: Date.now() + body.expiresIn * 1000 });
    return body.token;
  }
}
