import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { HashQueue, type HashTurn } from './hash-queue.ts';

/** The cost of one hash. Stored with every hash, so that the default can change. */
export interface HashCost {
  readonly memoryKiB: number;
  readonly passes: number;
}

const DEFAULT_COST: HashCost = { memoryKiB: 19_456, passes: 2 };
const TAG_BYTES = 32;

type Derive = (parameters: Argon2Parameters) => Promise<Buffer>;

const argon2id = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>;

/** Hashes passwords with Argon2id in Node's thread pool. Each call waits for its turn. */
export class Passwords {
  readonly #cost: HashCost;
  readonly #derive: Derive;
  readonly #queue = new HashQueue();

  /** Tests pass `derive` to decide when a hash ends. */
  constructor(cost = DEFAULT_COST, derive: Derive = (parameters) => argon2id('argon2id', parameters)) {
    this.#cost = cost;
    this.#derive = derive;
  }

  async hash(password: string, turn: HashTurn): Promise<string> {
    const salt = randomBytes(16);
    const tag = await this.#deriveInTurn(turn, password, salt, this.#cost);
    const { memoryKiB, passes } = this.#cost;
    return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=1$${toUnpaddedBase64(salt)}$${toUnpaddedBase64(tag)}`;
  }

  /** Takes the same time for an unknown user, or one without a password, as for a wrong password. */
  async verify(password: string, storedHash: string | null, turn: HashTurn): Promise<boolean> {
    const { salt, tag, cost = this.#cost } = parseHash(storedHash) ?? PLACEHOLDER_PASSWORD;
    const actual = await this.#deriveInTurn(turn, password, salt, cost);
    return timingSafeEqual(actual, tag) && storedHash !== null;
  }

  #deriveInTurn(turn: HashTurn, message: string, nonce: Buffer, { memoryKiB, passes }: HashCost): Promise<Buffer> {
    const parameters = { message, nonce, parallelism: 1, tagLength: TAG_BYTES, memory: memoryKiB, passes };
    return this.#queue.run(turn, () => this.#derive(parameters));
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
