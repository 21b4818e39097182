import { decrypt, encrypt, type InstallationSecrets } from '../access/secrets.ts';
import type { VisitorCaller } from '../kernel/caller.ts';

const POSITION_BYTES = 8;

/**
 * Encrypts positions of the event log for visitors: the number would tell them how busy the account is. A text is valid
 * for its visitor only, on every node, as long as the installation keeps its secret.
 */
export class VisitorPositions {
  readonly #secrets: InstallationSecrets;

  constructor(secrets: InstallationSecrets) {
    this.#secrets = secrets;
  }

  /** Returns another text each time: equal texts would show that nothing happened in the account. */
  encrypt(visitor: VisitorCaller, position: number): string {
    const content = Buffer.alloc(POSITION_BYTES); // the same length for every position
    content.writeBigUInt64BE(BigInt(position));
    return encrypt(this.#deriveKey(visitor), content, toContext(visitor));
  }

  /** Returns undefined if the text is not a position of this visitor. */
  decrypt(visitor: VisitorCaller, text: string): number | undefined {
    const content = decrypt(this.#deriveKey(visitor), text, toContext(visitor));
    return content && Number(content.readBigUInt64BE());
  }

  #deriveKey({ accountId, visitorId }: VisitorCaller): Buffer {
    return this.#secrets.deriveVisitorPositionKey(accountId, visitorId);
  }
}

function toContext({ accountId, visitorId }: VisitorCaller): string {
  return `visitor ${accountId}.${visitorId}`;
}
