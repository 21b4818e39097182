import type { Database } from '../../storage/database.ts';
import type { InstallationSecrets } from '../access/secrets.ts';
import { Deliveries } from './deliveries.ts';
import { WebhookService } from './webhook-service.ts';

export type Webhooks = ReturnType<typeof createWebhooks>;

export function createWebhooks(database: Database, secrets: InstallationSecrets, allowPrivateHosts: boolean) {
  return {
    service: new WebhookService({ database, secrets, allowPrivateHosts }),
    deliveries: new Deliveries(database),
  };
}
