import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { DomainError, invalidField } from '../kernel/errors.ts';
import { fold } from '../kernel/text.ts';

/** The cost of one hash. Stored with every hash, so that the default can change. */
export interface HashCost {
  readonly memoryKiB: number;
  readonly passes: number;
}

const DEFAULT_COST: HashCost = { memoryKiB: 19_456, passes: 2 };
const TAG_BYTES = 32;
const MAX_CONCURRENT_HASHES = 2;
const MAX_QUEUED_HASHES = 100;

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>;

/** Hashes passwords with Argon2id in Node's thread pool, with limited concurrency and a bounded queue. */
export class Passwords {
  readonly #cost: HashCost;
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(cost = DEFAULT_COST) {
    this.#cost = cost;
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    const tag = await this.#derive(password, salt, this.#cost);
    const { memoryKiB, passes } = this.#cost;
    return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=1$${toUnpaddedBase64(salt)}$${toUnpaddedBase64(tag)}`;
  }

  /** Takes the same time for an unknown user, or one without a password, as for a wrong password. */
  async verify(password: string, storedHash: string | null): Promise<boolean> {
    const { salt, tag, cost = this.#cost } = parseHash(storedHash) ?? PLACEHOLDER_PASSWORD;
    const actual = await this.#derive(password, salt, cost);
    return timingSafeEqual(actual, tag) && storedHash !== null;
  }

  async #derive(password: string, salt: Buffer, { memoryKiB, passes }: HashCost): Promise<Buffer> {
    await this.#waitForSlot();
    try {
      return await derive('argon2id', {
        message: password,
        nonce: salt,
        parallelism: 1,
        tagLength: TAG_BYTES,
        memory: memoryKiB,
        passes,
      });
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  /** Waits for a free slot. A finished hash passes its slot to the first in the queue. */
  async #waitForSlot(): Promise<void> {
    if (this.#running < MAX_CONCURRENT_HASHES) {
      this.#running += 1;
      return;
    }
    if (this.#queue.length >= MAX_QUEUED_HASHES) {
      throw new DomainError('unavailable', 'Too many logins are in progress. Try again later.', {
        retryAfterSeconds: 2,
      });
    }
    await new Promise<void>((resolve) => this.#queue.push(resolve));
  }
}

/** Rejects the most common passwords. The list is large, so it is loaded only when a password is set. */
export async function rejectCommonPassword(password: string, email: string): Promise<void> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const common = dictionary['passwords-common'] as readonly string[];
  const folded = fold(password);
  if (common.includes(folded) || folded === fold(email) || /^(.)\1*$/u.test(folded)) {
    throw invalidField('password', 'must not be a common password or the e-mail address');
  }
}

interface StoredPassword {
  readonly salt: Buffer;
  readonly tag: Buffer;
  /** Missing for a user without a password: the check then uses the default cost. */
  readonly cost?: HashCost;
}

const PLACEHOLDER_PASSWORD: StoredPassword = { salt: Buffer.alloc(16), tag: Buffer.alloc(TAG_BYTES) };

function parseHash(stored: string | null): StoredPassword | undefined {
  const match = stored?.match(/^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([^$]+)\$([^$]+)$/);
  if (!match) return undefined;
  const [, memory, passes, salt = '', tag = ''] = match;
  return {
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
    cost: { memoryKiB: Number(memory), passes: Number(passes) },
  };
}

function toUnpaddedBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
