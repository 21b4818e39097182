import type { OutgoingRequest, Sender } from '../../src/core/webhooks/http-sender.ts';

/** Receives all webhooks. Its status depends only on the delivery, not on the order of requests. */
export class FakeWebhookReceiver implements Sender {
  statuses: readonly number[] = [200];
  #posts: { readonly url: string; readonly delivery: number; readonly body: string }[] = [];

  async send({ url, headers, body }: OutgoingRequest) {
    const delivery = Number(headers['X-Switchboard-Delivery']);
    this.#posts.push({ url, delivery, body });
    return { status: this.statuses[delivery % this.statuses.length] ?? 200, retryAfter: undefined };
  }

  takePosts() {
    const posts = this.#posts.sort((a, b) => a.delivery - b.delivery);
    this.#posts = [];
    return posts;
  }

  close(): void {}
}
