// Tells whether the built pages are up to date. Runs on the system's Node, which may be old.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that the built pages depend on. */
const SOURCES = ['web', 'scripts/build-web.ts', 'scripts/web-build', 'docs/api', 'package-lock.json'];

/** Returns a hash of all files that the pages are built from. */
export function hashWebSources(root) {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    for (const file of listFiles(root, source)) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/** Returns whether the pages in `folder` were built from the current sources. */
export function isWebBuildCurrent(root, folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')).sources === hashWebSources(root);
  } catch {
    return false;
  }
}

function listFiles(root, path) {
  try {
    const names = readdirSync(join(root, path)).sort();
    return names.flatMap((name) => listFiles(root, `${path}/${name}`));
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path];
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
