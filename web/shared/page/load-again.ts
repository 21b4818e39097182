import type { LaterPart } from './later-part.ts';

/**
 * Someone asks for a part after a failure. Returns whether it is there. After an upgrade of the service the files of an
 * older page are gone, and some browsers never ask again for a file that failed once: if the service can be reached, a
 * new page helps.
 */
export async function loadAgain(part: LaterPart<unknown>): Promise<boolean> {
  try {
    await part.load();
    return true;
  } catch {
    const response = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
    if (response?.ok) location.reload();
    return false;
  }
}
