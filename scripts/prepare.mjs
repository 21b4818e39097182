// Installs what is missing, once per lock file. Runs on the machine's own Node, which may be old:
// everything after this script runs on the Node that the project brings along.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = `${root}node_modules/.installed-lock`;
const lock = createHash('sha256')
  .update(readFileSync(`${root}package-lock.json`))
  .digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  console.error('Switchboard: installing dependencies (once, about 15 seconds) …');
  const install = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    // A caller's NODE_ENV=production would leave the test tools out.
    env: { ...process.env, NODE_ENV: '', npm_config_omit: '' },
  });
  if (install.status !== 0) {
    console.error('Switchboard: the installation failed; see the lines above. Is the npm registry reachable?');
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}

if (!existsSync(`${root}node_modules/.bin/node`)) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 24 || (major === 24 && minor < 7)) {
    console.error(
      `Switchboard brings its own Node for Linux and macOS, but not for ${process.platform} ${process.arch}; ` +
        `there it needs Node 24.7 or later on the PATH (found ${process.versions.node}).`,
    );
    process.exit(1);
  }
}
