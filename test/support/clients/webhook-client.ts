import type { GraphqlClient } from './graphql.ts';
import { type Receiver, startReceiver } from './receiver.ts';

interface TestCleanup {
  after(end: () => Promise<void>): void;
}

/** A receiver that is closed when the test ends. */
export async function startReceiverFor(t: TestCleanup): Promise<Receiver> {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  return receiver;
}

export const CREATE_WEBHOOK = `mutation($input: WebhookCreateInput!) {
  webhookCreate(input: $input) { webhook { id name url eventTypes state } secret userErrors { field message code } }
}`;

/** A webhook that is deleted when the test ends. */
export async function createWebhookFor(
  t: TestCleanup,
  client: GraphqlClient,
  receiver: Receiver,
  eventTypes: readonly string[],
) {
  const { data } = await client.run(CREATE_WEBHOOK, { input: { name: 'Hook', url: receiver.url, eventTypes } });
  const { webhook, secret } = data.webhookCreate;
  t.after(async () => {
    await client.run(`mutation { webhookDelete(input: { id: ${webhook.id} }) { deletedId } }`).catch(() => undefined);
  });
  return { id: webhook.id as string, secret: secret as string };
}
