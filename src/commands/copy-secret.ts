import { existsSync, readFileSync } from 'node:fs';
import { secretFileFor } from '../app/secret-file.ts';
import { InstallationSecrets } from '../core/access/secrets.ts';
import { sealContextFor } from '../core/webhooks/webhook-service.ts';
import type { CopyEndpoint } from '../storage/copy/copy-endpoint.ts';
import type { DatabaseAddress } from './copy-endpoints.ts';

/** A copy never contains the installation secret. Explains how to transfer it. */
export async function buildSecretAdvice(
  endpoint: CopyEndpoint,
  { from, to }: { readonly from: DatabaseAddress; readonly to: DatabaseAddress },
  configuredSecret: string | undefined,
): Promise<string> {
  const lines = [
    'The installation secret is not in the database and was not copied. Single sign-on keys, website secrets and webhook secrets depend on it.',
    describeNextStep(from, to, configuredSecret),
  ];
  const nextSecret =
    configuredSecret === undefined
      ? readSecretFile(to)
      : { source: 'the current SWITCHBOARD_SECRET', secret: configuredSecret };
  if (nextSecret && (await canUnseal(endpoint, nextSecret.secret)) === false) {
    lines.push(
      `WARNING: ${nextSecret.source} is not the secret of this installation: it cannot decrypt the webhook secrets.`,
    );
  }
  return lines.join('\n');
}

function describeNextStep(from: DatabaseAddress, to: DatabaseAddress, configuredSecret: string | undefined): string {
  const currentSecret = configuredSecret === undefined ? readSecretFile(from) : undefined;
  if (to.kind === 'postgres') {
    return currentSecret
      ? `Start every node with SWITCHBOARD_SECRET set to the contents of ${currentSecret.source}.`
      : 'Start every node with the same SWITCHBOARD_SECRET as before.';
  }
  const targetFile = secretFileFor(to.file);
  if (!currentSecret)
    return `Start the service with the same SWITCHBOARD_SECRET as before, or write it to ${targetFile} before the first start.`;
  if (readSecretFile(to)?.secret === currentSecret.secret) return `It is already in ${targetFile}.`;
  return `Copy ${currentSecret.source} to ${targetFile} before the first start.`;
}

function readSecretFile(address: DatabaseAddress): { source: string; secret: string } | undefined {
  if (address.kind !== 'sqlite') return undefined;
  const file = secretFileFor(address.file);
  return existsSync(file) ? { source: file, secret: readFileSync(file, 'utf8').trim() } : undefined;
}

/** Whether the secret decrypts the stored webhook secrets; undefined if there are no webhooks. */
async function canUnseal(endpoint: CopyEndpoint, secret: string): Promise<boolean | undefined> {
  const webhooks = await endpoint.query({ text: 'select account_id, id, secret from webhooks' });
  if (webhooks.length === 0) return undefined;
  const secrets = new InstallationSecrets(secret);
  return webhooks.some(
    ([accountId, id, text]) =>
      secrets.unseal(String(text), sealContextFor(Number(accountId), Number(id))) !== undefined,
  );
}
