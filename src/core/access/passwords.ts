import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { DomainError, invalidField } from '../kernel/errors.ts';
import { fold } from '../kernel/text.ts';

/** What a guess costs; kept with every hash, so that it may change. */
export interface HashCost {
  readonly memoryKiB: number;
  readonly passes: number;
}

const COST: HashCost = { memoryKiB: 19_456, passes: 2 };
const TAG_BYTES = 32;
const RUNNING_AT_ONCE = 2;
const MAX_WAITING = 100;

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>;

/** Argon2id in Node's thread pool, a few at a time, with a bounded line of those who wait. */
export class Passwords {
  readonly #cost: HashCost;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(cost = COST) {
    this.#cost = cost;
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    const tag = await this.#derive(password, salt, this.#cost);
    const { memoryKiB, passes } = this.#cost;
    return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=1$${base64(salt)}$${base64(tag)}`;
  }

  /** Takes as long for a user without password, or without existence, as for a wrong one. */
  async verify(password: string, stored: string | null): Promise<boolean> {
    const { salt, tag, cost = this.#cost } = parse(stored) ?? NOBODY;
    const actual = await this.#derive(password, salt, cost);
    return timingSafeEqual(actual, tag) && stored !== null;
  }

  async #derive(password: string, salt: Buffer, { memoryKiB, passes }: HashCost): Promise<Buffer> {
    await this.#turn();
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
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  /** Waits for a place; one that becomes free is handed to the first in line. */
  async #turn(): Promise<void> {
    if (this.#running < RUNNING_AT_ONCE) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= MAX_WAITING) {
      throw new DomainError('unavailable', 'Too many logins are waiting.', { retryAfterSeconds: 2 });
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** Refuses what everybody tries first. The list is large, so it is loaded when a password is set and not before. */
export async function refuseCommonPassword(password: string, email: string): Promise<void> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const common = dictionary['passwords-common'] as readonly string[];
  const folded = fold(password);
  if (common.includes(folded) || folded === fold(email) || /^(.)\1*$/u.test(folded)) {
    throw invalidField('password', 'must not be one of the commonest passwords or the e-mail address');
  }
}

interface StoredPassword {
  readonly salt: Buffer;
  readonly tag: Buffer;
  /** Missing for a user without password: checking costs as much as a new hash. */
  readonly cost?: HashCost;
}

const NOBODY: StoredPassword = { salt: Buffer.alloc(16), tag: Buffer.alloc(TAG_BYTES) };

function parse(stored: string | null): StoredPassword | undefined {
  const match = stored?.match(/^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([^$]+)\$([^$]+)$/);
  if (!match) return undefined;
  const [, memory, passes, salt = '', tag = ''] = match;
  return {
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
    cost: { memoryKiB: Number(memory), passes: Number(passes) },
  };
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
