import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

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
  readonly #websiteKey: Buffer;
  readonly #requestKey: Buffer;
  readonly #sealKey: Buffer;

  constructor(secret: string) {
    this.#ssoKey = derive(secret, 'sso_key');
    this.#websiteKey = derive(secret, 'website_secret');
    this.#requestKey = derive(secret, 'idempotency');
    this.#sealKey = derive(secret, 'seal');
  }

  /** The operator's single sign-on key. It is in no table; a new version makes a new key. */
  ssoKey(accountId: number, operatorId: number, version: number): string {
    const subject = `${accountId}.${operatorId}`;
    const mac = createHmac('sha256', this.#ssoKey).update(`${subject}.${version}`).digest('base64url');
    return `${subject}.${mac}`;
  }

  /** The secret with which a website vouches for its visitors. It is in no table; a new version makes a new one. */
  websiteSecret(accountId: number, websiteId: number, version: number): string {
    return createHmac('sha256', this.#websiteKey).update(`${accountId}.${websiteId}.${version}`).digest('base64url');
  }

  /** A fingerprint of a request that says nothing about its contents to a reader of the database. */
  requestFingerprint(parts: readonly string[]): string {
    const mac = createHmac('sha256', this.#requestKey);
    for (const part of parts) mac.update(`${part.length}:${part}`);
    return mac.digest('hex');
  }

  /** Encrypts a secret that must be read again. It can be opened only for the place (a row) that it was sealed for. */
  seal(text: string, place: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#sealKey, nonce).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Undefined for what was sealed with the secret of another installation, for another place, or changed since. */
  unseal(sealed: string, place: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)];
    try {
      const options = { authTagLength: TAG_BYTES };
      const decipher = createDecipheriv('aes-256-gcm', this.#sealKey, nonce, options).setAAD(Buffer.from(place));
      decipher.setAuthTag(tag);
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)));
}

function derive(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'switchboard', purpose, 32));
}
