import { existsSync, readFileSync } from 'node:fs';
import { secretFile } from '../app/secret-file.ts';
import { InstallationSecrets } from '../core/access/secrets.ts';
import { placeOf } from '../core/webhooks/webhook-service.ts';
import type { CopyEnd } from '../storage/copy/copy-end.ts';
import type { Address } from './copy-ends.ts';

/** The secret is in no table, and is never written by a copy: what a person has to do about it. */
export async function secretAdvice(
  end: CopyEnd,
  { from, to }: { readonly from: Address; readonly to: Address },
  given: string | undefined,
): Promise<string> {
  const lines = [
    'The secret of the installation is not in the database, and was not copied. Single sign-on keys, the secrets of websites and those of webhooks depend on it.',
    whatToDo(from, to, given),
  ];
  const next = given === undefined ? keptAt(to) : { where: 'SWITCHBOARD_SECRET, as it is set here,', secret: given };
  if (next && (await opens(end, next.secret)) === false) {
    lines.push(`WARNING: ${next.where} is not the secret of this installation: its webhooks cannot be read with it.`);
  }
  return lines.join('\n');
}

function whatToDo(from: Address, to: Address, given: string | undefined): string {
  const old = given === undefined ? keptAt(from) : undefined;
  if (to.kind === 'postgres') {
    return old
      ? `Start every node with SWITCHBOARD_SECRET set to what is in ${old.where}.`
      : 'Start every node with the same SWITCHBOARD_SECRET as until now.';
  }
  const beside = secretFile(to.file);
  if (!old)
    return `Start it with the same SWITCHBOARD_SECRET as until now, or put that into ${beside} before the first start.`;
  if (keptAt(to)?.secret === old.secret) return `It is in ${beside} already.`;
  return `Copy ${old.where} to ${beside} before the first start.`;
}

function keptAt(address: Address): { where: string; secret: string } | undefined {
  if (address.kind !== 'sqlite') return undefined;
  const where = secretFile(address.file);
  return existsSync(where) ? { where, secret: readFileSync(where, 'utf8').trim() } : undefined;
}

/** Only what was sealed with a secret can tell whether it is the right one; undefined where nothing was. */
async function opens(end: CopyEnd, secret: string): Promise<boolean | undefined> {
  const sealed = await end.query({ text: 'select account_id, id, secret from webhooks' });
  if (sealed.length === 0) return undefined;
  const secrets = new InstallationSecrets(secret);
  return sealed.some(
    ([accountId, id, text]) => secrets.unseal(String(text), placeOf(Number(accountId), Number(id))) !== undefined,
  );
}
