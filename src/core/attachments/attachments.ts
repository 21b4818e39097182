import type { Database } from '../../storage/database.ts';
import { RateLimits } from '../access/rate-limits.ts';
import type { InstallationSecrets } from '../access/secrets.ts';
import { deleteUnused } from '../engine/records/attachment-store.ts';
import { Slots } from '../kernel/slots.ts';
import { AttachmentAddresses } from './addresses.ts';
import { AttachmentQuery } from './attachment-query.ts';
import { type UploadLimits, Uploads } from './uploads.ts';

/** Files of conversations: uploads, addresses, downloads. */
export type Attachments = ReturnType<typeof createAttachments>;

const UNSENT_MS = 3_600_000;
/** Each holds a chunk or two in memory. */
const DOWNLOADS = { total: 100, perKey: 20 };

export function createAttachments(database: Database, secrets: InstallationSecrets, limits: UploadLimits) {
  return {
    uploads: new Uploads(database, new RateLimits(database), limits),
    query: new AttachmentQuery(database),
    addresses: new AttachmentAddresses(secrets),
    downloadSlots: new Slots(DOWNLOADS),
    /** Deletes files that were removed, or not sent within an hour, in batches. */
    deleteExpired: (signal?: AbortSignal) => deleteUnused(database, UNSENT_MS, signal),
  };
}
