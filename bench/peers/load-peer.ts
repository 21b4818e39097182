import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Loads a package from the folder of the installed peers. The project has no types for them. */
export function loadPeer<T>(folder: string, name: string): T {
  return createRequire(join(folder, 'package.json'))(name) as T;
}
