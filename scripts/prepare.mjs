// Installs dependencies once per lock file, and builds the web pages once per change of their sources. Runs on the
// system's Node, which may be old: everything after this script runs on the Node from the project's dependencies.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isWebBuildCurrent } from './web-build/sources.mjs';

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
    // With NODE_ENV=production from the caller, npm would skip the test tools.
    env: { ...process.env, NODE_ENV: '', npm_config_omit: '' },
  });
  if (install.status !== 0) {
    console.error('Switchboard: installation failed, see the lines above. Is the npm registry reachable?');
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}

if (!existsSync(`${root}node_modules/.bin/node`)) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 24 || (major === 24 && minor < 7)) {
    console.error(
      `Switchboard includes Node for Linux and macOS, but not for ${process.platform} ${process.arch}. ` +
        `Install Node 24.7 or later (found ${process.versions.node}).`,
    );
    process.exit(1);
  }
}

if (!isWebBuildCurrent(root, `${root}dist/web`)) {
  console.error('Switchboard: building the web pages (once, about 5 seconds) …');
  const ownNode = `${root}node_modules/.bin/node`;
  const build = spawnSync(existsSync(ownNode) ? ownNode : process.execPath, [`${root}scripts/build-web.ts`], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (build.status !== 0) {
    console.error('Switchboard: the web pages could not be built, see the lines above.');
    process.exit(1);
  }
}
