import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WebManifest } from '../../src/api/pages/web-manifest.ts';

/** A service that starts while another build runs still finds the files of the manifest that it has read. */
const KEEP_OLD_FILES_MS = 60 * 60_000;

/**
 * Writes a build so that a reader never sees half of it: the name of a file contains a hash of its content, every file
 * appears whole, and the manifest that names them appears last.
 */
export function writeBuild(folder: string, files: ReadonlyMap<string, Uint8Array>, manifest: WebManifest): void {
  const assets = join(folder, 'assets');
  mkdirSync(assets, { recursive: true });
  for (const [name, content] of files) writeWhole(join(assets, name), content);
  writeWhole(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  removeOldFiles(assets, new Set(files.keys()), Date.now() - KEEP_OLD_FILES_MS);
}

function writeWhole(path: string, content: Uint8Array | string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}

/** Files of earlier builds. Their time is that of the last build that wrote them. */
function removeOldFiles(assets: string, current: ReadonlySet<string>, before: number): void {
  for (const name of readdirSync(assets)) {
    if (current.has(name)) continue;
    const changedAt = statSync(join(assets, name), { throwIfNoEntry: false })?.mtimeMs;
    if (changedAt !== undefined && changedAt < before) rmSync(join(assets, name), { force: true });
  }
}
