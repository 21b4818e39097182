import { type InstallationSecrets, isSameSecret } from '../access/secrets.ts';
import type { AttachmentKey } from '../engine/records/attachment-store.ts';
import { parseId } from '../kernel/ids.ts';

/** For whom an address was made. A visitor's page has another origin than the service. */
export type Reader = 'operator' | 'visitor';

/** An address is valid for at least this time, and at most twice as long: within it, it stays the same. */
const VALID_MS = 5 * 60_000;

export interface SignedAddress {
  readonly url: string;
  readonly expiresAt: number;
}

export interface CheckedAddress extends AttachmentKey {
  readonly reader: Reader;
  readonly expiresAt: number;
}

/** Makes addresses that serve one file for some minutes to anyone who has them, without another credential. */
export class AttachmentAddresses {
  readonly #secrets: InstallationSecrets;

  constructor(secrets: InstallationSecrets) {
    this.#secrets = secrets;
  }

  /** `now`: the database's time. */
  sign({ accountId, id }: AttachmentKey, reader: Reader, now: number): SignedAddress {
    const expiresAt = (Math.floor(now / VALID_MS) + 2) * VALID_MS;
    const signature = this.#secrets.signAttachment({ accountId, id, reader, expiresAt });
    const query = new URLSearchParams({ account: String(accountId), reader, expires: String(expiresAt), signature });
    return { url: `/attachment/${id}?${query}`, expiresAt };
  }

  /** Undefined if the address was altered. The caller compares the expiry with the database's time. */
  check(idText: string, query: URLSearchParams): CheckedAddress | undefined {
    const [accountId, id, expiresAt] = [query.get('account'), idText, query.get('expires')].map((text) =>
      parseId(text ?? ''),
    );
    const reader = query.get('reader');
    if (accountId === undefined || id === undefined || expiresAt === undefined) return undefined;
    if (reader !== 'operator' && reader !== 'visitor') return undefined;
    const address = { accountId, id, reader, expiresAt } as const;
    return isSameSecret(query.get('signature') ?? '', this.#secrets.signAttachment(address)) ? address : undefined;
  }
}
