import type { GraphqlClient } from './graphql.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** A test that can be told what to do at its end. */
interface End {
  after(end: () => Promise<void>): void;
}

/** A receiver that ends with the test. */
export async function receiverFor(t: End): Promise<Receiver> {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  return receiver;
}

export const CREATE_WEBHOOK = `mutation($input: WebhookCreateInput!) {
  webhookCreate(input: $input) { webhook { id name url eventTypes state } secret userErrors { field message code } }
}`;

/** A webhook that ends with the test. */
export async function hookTo(t: End, client: GraphqlClient, receiver: Receiver, eventTypes: readonly string[]) {
  const { data } = await client.run(CREATE_WEBHOOK, { input: { name: 'Hook', url: receiver.url, eventTypes } });
  const { webhook, secret } = data.webhookCreate;
  t.after(async () => {
    await client.run(`mutation { webhookDelete(input: { id: ${webhook.id} }) { deletedId } }`).catch(() => undefined);
  });
  return { id: webhook.id as string, secret: secret as string };
}
