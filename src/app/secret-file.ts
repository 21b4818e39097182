import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function secretFileFor(databaseFile: string): string {
  return join(dirname(databaseFile), 'secret');
}

/** Reads the installation secret, which is stored next to the embedded database and created with it. */
export function readOrCreateSecret(databaseFile: string, isNew: boolean, warn: (message: string) => void): string {
  const file = secretFileFor(databaseFile);
  if (!existsSync(file)) {
    if (!isNew) {
      warn(
        `The secret file ${file} is missing; creating a new one. All single sign-on keys change, and webhooks need new secrets.`,
      );
    }
    try {
      writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error;
    }
  }
  return readFileSync(file, 'utf8').trim();
}
