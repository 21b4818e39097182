import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function secretFile(databaseFile: string): string {
  return join(dirname(databaseFile), 'secret');
}

/** The secret beside the embedded database, made with it. */
export function keptSecret(databaseFile: string, isNew: boolean, warn: (message: string) => void): string {
  const file = secretFile(databaseFile);
  if (!existsSync(file)) {
    if (!isNew) {
      warn(
        `The secret ${file} is missing; a new one is made. Every single sign-on key is another from now on, and webhooks need new secrets.`,
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
