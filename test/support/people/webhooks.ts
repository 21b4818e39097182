import type { TestContext } from 'node:test';
import { announce } from '../../../src/core/events/announce.ts';
import { WebhookDispatcher } from '../../../src/core/webhooks/dispatcher.ts';
import { HttpSender, type Sender, type SenderOptions } from '../../../src/core/webhooks/http-sender.ts';
import type { Webhook, WebhookCreate } from '../../../src/core/webhooks/webhook.ts';
import type { WebhookService } from '../../../src/core/webhooks/webhook-service.ts';
import { type Receiver, startReceiver } from '../clients/receiver.ts';
import type { OpenInstallation } from '../databases/databases.ts';
import { PATIENCE_MS } from '../waiting/until.ts';

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
  /** The same to several conversations in one transaction. */
  happenTo(subjectIds: readonly number[]): Promise<void>;
  /** Puts so many copies of a delivery into the store, each under a number of its own. */
  copyDelivery(webhookId: number, times: number): Promise<void>;
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
  const {
    database,
    webhooks: { hooks: webhooks },
    caller,
  } = installation;
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
      const { webhook, secret } = await webhooks.create(transact, caller, input);
      return { webhook, secret: secret as string };
    },
    dispatcher: ({ random = () => 0.5, sender, webhooks = installation.webhooks.hooks, ...options } = {}) => {
      const dispatcher = new WebhookDispatcher({
        database,
        webhooks,
        sender: sender ?? new HttpSender({ allowPrivate: true, timeoutMs: PATIENCE_MS, ...options }),
        random,
        onError: (error) => {
          throw error;
        },
      });
      ends.push(() => dispatcher.stop(0));
      return dispatcher;
    },
    happen: (subjectId, type = 'conversation.updated') =>
      transact(async (tx) => announce(tx, caller, type, subjectId, CHANGES)),
    happenTo: (subjectIds) =>
      transact(async (tx) => {
        for (const subjectId of subjectIds) announce(tx, caller, 'conversation.updated', subjectId, CHANGES);
      }),
    copyDelivery: async (webhookId, times) => {
      const [delivery] = await deliveriesOf(installation, webhookId);
      if (!delivery) throw new Error('There is no delivery to copy.');
      const rows = Array.from({ length: times }, (_, index) => ({
        ...delivery,
        ...{ id: FIRST_COPY + index, position: FIRST_COPY + index },
        nextAt: null, // it waits for the first of its subject
      }));
      await transact(async ({ db }) => {
        for (let start = 0; start < times; start += COPIED_AT_ONCE) {
          const some = rows.slice(start, start + COPIED_AT_ONCE);
          await db.insertInto('webhookDeliveries').values(some).execute();
        }
      });
    },
    shown: async (id) => (await webhooks.find(caller, id)) as Webhook,
    rows: (webhookId) => deliveriesOf(installation, webhookId),
  };
}

const CHANGES = { fields: ['state'], values: { state: 'active' } };
/** Far from the numbers that the service gives out. */
const FIRST_COPY = 1_000_000;
const COPIED_AT_ONCE = 500;

function deliveriesOf({ database, accountId }: OpenInstallation, webhookId: number) {
  return database.read
    .selectFrom('webhookDeliveries')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('webhookId', '=', webhookId)
    .orderBy('id')
    .execute();
}
