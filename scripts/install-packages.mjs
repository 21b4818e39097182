// Installs the packages of a folder once per lock file. Runs on the system's Node, which may be old.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns whether the packages of the folder are those of its lock file. npm checks the hash of each package. */
export function installPackages(folder, name) {
  const stamp = join(folder, 'node_modules/.installed-lock');
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return true;
  console.error(`Switchboard: installing ${name} (once) …`);
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    // With NODE_ENV=production from the caller, npm would skip the tools that build and test.
    env: { ...process.env, NODE_ENV: '', npm_config_omit: '' },
  });
  if (status === 0) writeFileSync(stamp, lock);
  else console.error('Switchboard: installation failed, see the lines above. Is the npm registry reachable?');
  return status === 0;
}
