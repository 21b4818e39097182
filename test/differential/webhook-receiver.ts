import type { Post, Sender } from '../../src/core/webhooks/http-sender.ts';

/** The far end of all webhooks. How it answers depends on what it gets, not on what came before. */
export class Receiver implements Sender {
  statuses: readonly number[] = [200];
  #posts: { readonly url: string; readonly delivery: number; readonly body: string }[] = [];

  async send({ url, headers, body }: Post) {
    const delivery = Number(headers['X-Switchboard-Delivery']);
    this.#posts.push({ url, delivery, body });
    return { status: this.statuses[delivery % this.statuses.length] ?? 200, retryAfter: undefined };
  }

  taken() {
    const posts = this.#posts.sort((one, other) => one.delivery - other.delivery);
    this.#posts = [];
    return posts;
  }

  close(): void {}
}
