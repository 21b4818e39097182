import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Generates 256 random bits as text, for tokens and keys. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the stored form of a token or key. They are random, so they need no slow hash. */
export function digest(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Derives one key per purpose from the installation's secret. */
export class InstallationSecrets {
  readonly #ssoKey: Buffer;
  readonly #websiteKey: Buffer;
  readonly #requestKey: Buffer;
  readonly #sealKey: Buffer;
  readonly #visitorPositionKey: Buffer;
  readonly #attachmentKey: Buffer;
  readonly #recoveryCodeKey: Buffer;
  readonly #loginKey: Buffer;

  constructor(secret: string) {
    this.#ssoKey = deriveKey(secret, 'sso_key');
    this.#websiteKey = deriveKey(secret, 'website_secret');
    this.#requestKey = deriveKey(secret, 'idempotency');
    this.#sealKey = deriveKey(secret, 'seal');
    this.#visitorPositionKey = deriveKey(secret, 'visitor_position');
    this.#attachmentKey = deriveKey(secret, 'attachment_address');
    this.#recoveryCodeKey = deriveKey(secret, 'recovery_code');
    this.#loginKey = deriveKey(secret, 'login');
  }

  /** Derives the operator's single sign-on key. It is not stored; a new version gives a new key. */
  deriveSsoKey(accountId: number, operatorId: number, version: number): string {
    const subject = `${accountId}.${operatorId}`;
    const mac = createHmac('sha256', this.#ssoKey).update(`${subject}.${version}`).digest('base64url');
    return `${subject}.${mac}`;
  }

  /**
   * Derives the secret with which a website signs the `externalId` of its visitors. It is not stored; a new version gives
   * a new secret.
   */
  deriveVisitorSecret(accountId: number, websiteId: number, version: number): string {
    return createHmac('sha256', this.#websiteKey).update(`${accountId}.${websiteId}.${version}`).digest('base64url');
  }

  /**
   * Derives the secret with which a website signs identity tokens. It is another one: with the same, the signature of an
   * `externalId` that someone chose would be that of a token.
   */
  deriveIdentitySecret(accountId: number, websiteId: number, version: number): string {
    const content = `identity.${accountId}.${websiteId}.${version}`;
    return createHmac('sha256', this.#websiteKey).update(content).digest('base64url');
  }

  /** Computes a fingerprint of a request that does not reveal its contents to a reader of the database. */
  computeRequestFingerprint(parts: readonly string[]): string {
    const mac = createHmac('sha256', this.#requestKey);
    for (const part of parts) mac.update(`${part.length}:${part}`);
    return mac.digest('hex');
  }

  /** Derives a key for one visitor: random nonces are safe only for a limited number of encryptions with one key. */
  deriveVisitorPositionKey(accountId: number, visitorId: number): Buffer {
    return createHmac('sha256', this.#visitorPositionKey).update(`${accountId}.${visitorId}`).digest();
  }

  /** Signs what an address of a file grants: which file, to which kind of reader, until when. */
  signAttachment(grant: {
    readonly accountId: number;
    readonly id: number;
    readonly reader: string;
    readonly expiresAt: number;
  }): string {
    const content = `${grant.accountId}.${grant.id}.${grant.reader}.${grant.expiresAt}`;
    return createHmac('sha256', this.#attachmentKey).update(content).digest('base64url');
  }

  /**
   * Returns the stored form of a recovery code. With a key, because people type the code: it is too short for a plain
   * hash.
   */
  digestRecoveryCode(accountId: number, operatorId: number, code: string): string {
    return createHmac('sha256', this.#recoveryCodeKey).update(`${accountId}.${operatorId}.${code}`).digest('base64url');
  }

  /**
   * Returns the stored form of what someone typed as the e-mail address in a login. With a key, because people type
   * their password there by mistake.
   */
  digestLogin(email: string): string {
    return createHmac('sha256', this.#loginKey).update(email).digest('base64url');
  }

  /** Encrypts a secret that must be readable later. It can only be decrypted with the same context (a row). */
  seal(text: string, context: string): string {
    return encrypt(this.#sealKey, Buffer.from(text), context);
  }

  /** Returns undefined if the value was sealed by another installation, for another context, or was modified. */
  unseal(sealed: string, context: string): string | undefined {
    return decrypt(this.#sealKey, sealed, context)?.toString('utf8');
  }
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts and authenticates: AES-256-GCM with a random nonce, so that the same content gives another text each time. */
export function encrypt(key: Buffer, content: Buffer, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const encrypted = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
}

/** Returns undefined if the text was encrypted with another key or context, or was modified. */
export function decrypt(key: Buffer, encrypted: string, context: string): Buffer | undefined {
  const bytes = Buffer.from(encrypted, 'base64url');
  if (bytes.toString('base64url') !== encrypted) return undefined;
  const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)];
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)));
}

function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'switchboard', purpose, 32));
}
