import { accessSync, constants, mkdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Inside the repository, or in the temporary folder if the repository is not writable. */
export function prepareCacheFolder(): string {
  const repositoryCache = fileURLToPath(new URL('../.bench', import.meta.url));
  try {
    mkdirSync(repositoryCache, { recursive: true });
    accessSync(repositoryCache, constants.W_OK);
    return repositoryCache;
  } catch {
    const userCache = join(tmpdir(), `switchboard-bench-${userInfo().uid}`);
    mkdirSync(userCache, { recursive: true, mode: 0o700 });
    return userCache;
  }
}
