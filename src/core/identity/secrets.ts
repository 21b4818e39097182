import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits as text: a token, a key. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** How tokens and keys are kept: they are random, so that no slow hash is needed. */
export function digest(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** What is derived from the installation's one secret, a key for each purpose. */
export class InstallationSecrets {
  readonly #ssoKey: Buffer;
  readonly #requestKey: Buffer;

  constructor(secret: string) {
    this.#ssoKey = derive(secret, 'sso_key');
    this.#requestKey = derive(secret, 'idempotency');
  }

  /** The operator's single sign-on key. It is in no table; a new version makes a new key. */
  ssoKey(accountId: number, operatorId: number, version: number): string {
    const subject = `${accountId}.${operatorId}`;
    const mac = createHmac('sha256', this.#ssoKey).update(`${subject}.${version}`).digest('base64url');
    return `${subject}.${mac}`;
  }

  /** A fingerprint of a request that says nothing about its contents to a reader of the database. */
  requestFingerprint(parts: readonly string[]): string {
    const mac = createHmac('sha256', this.#requestKey);
    for (const part of parts) mac.update(`${part.length}:${part}`);
    return mac.digest('hex');
  }
}

export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)));
}

function derive(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'switchboard', purpose, 32));
}
