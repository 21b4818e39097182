import type { TestContext } from 'node:test';
import { announce } from '../../src/core/announce.ts';
import { WebhookDispatcher } from '../../src/core/webhooks/dispatcher.ts';
import { HttpSender, type Sender, type SenderOptions } from '../../src/core/webhooks/http-sender.ts';
import type { Webhook, WebhookCreate } from '../../src/core/webhooks/webhook.ts';
import type { WebhookService } from '../../src/core/webhooks/webhook-service.ts';
import type { OpenInstallation } from './databases.ts';
import { type Receiver, startReceiver } from './receiver.ts';

export const SECOND = 1000;
export const HOUR = 3600 * SECOND;
export const DAY = 24 * HOUR;

/** An installation of its own, whose hooks may go to this machine, and which ends with the test. */
export interface Bench extends OpenInstallation {
  receiver(port?: number): Promise<Receiver>;
  /** A hook for conversations, unless the test says otherwise. */
  hook(url: string, fields?: Partial<WebhookCreate>): Promise<{ webhook: Webhook; secret: string }>;
  dispatcher(options?: DispatcherOptions): WebhookDispatcher;
  /** Something happens to a conversation. */
  happen(subjectId: number, type?: `${string}.${string}`): Promise<void>;
  shown(id: number): Promise<Webhook>;
  /** All deliveries of a hook, the oldest first. */
  rows(webhookId: number): ReturnType<typeof deliveriesOf>;
  transact: OpenInstallation['database']['transaction'];
}

export interface DispatcherOptions extends Partial<SenderOptions> {
  /** 0.5 is no jitter at all. */
  readonly random?: () => number;
  readonly sender?: Sender;
  /** Another service, for example with another secret of the installation. */
  readonly webhooks?: WebhookService;
}

export async function openBench(
  t: TestContext,
  open: (settings?: Record<string, string>) => Promise<OpenInstallation>,
): Promise<Bench> {
  const installation = await open({ SWITCHBOARD_WEBHOOK_PRIVATE: '1' });
  const { database, webhooks, caller } = installation;
  const ends: (() => Promise<void>)[] = [() => installation.end()];
  t.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  const transact: Bench['transact'] = (work) => database.transaction(work);
  return {
    ...installation,
    transact,
    receiver: async (port) => {
      const receiver = await startReceiver(port);
      ends.push(() => receiver.close());
      return receiver;
    },
    hook: async (url, fields = {}) => {
      const input = { name: 'Hook', url, eventTypes: ['conversation.*'], ...fields };
      const { webhook, secret } = await webhooks.create(caller, input, transact);
      return { webhook, secret: secret as string };
    },
    dispatcher: ({ random = () => 0.5, sender, webhooks = installation.webhooks, ...options } = {}) => {
      const dispatcher = new WebhookDispatcher({
        database,
        webhooks,
        sender: sender ?? new HttpSender({ allowPrivate: true, ...options }),
        random,
        onError: (error) => {
          throw error;
        },
      });
      ends.push(() => dispatcher.stop(0));
      return dispatcher;
    },
    happen: (subjectId, type = 'conversation.updated') =>
      transact(async (tx) => announce(tx, caller, type, subjectId, { fields: ['state'], values: { state: 'active' } })),
    shown: async (id) => (await webhooks.find(caller, id)) as Webhook,
    rows: (webhookId) => deliveriesOf(installation, webhookId),
  };
}

function deliveriesOf({ database, accountId }: OpenInstallation, webhookId: number) {
  return database.read
    .selectFrom('webhookDeliveries')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('webhookId', '=', webhookId)
    .orderBy('id')
    .execute();
}
