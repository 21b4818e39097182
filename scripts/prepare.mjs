// Installs packages once per lock file, and builds the web pages once per change of their sources. With `--tests` it
// also installs what tests, checks and benches need. Runs on the system's Node, which may be old: everything after this
// script runs on the Node from the project's packages.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installPackages } from './install-packages.mjs';
import { isWebBuildCurrent } from './web-build/sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const nodeLink = `${root}node_modules/.bin/node`;

if (!installPackages(root, 'the packages of the service and its pages')) process.exit(1);
const node = chooseNode();
if (process.argv.includes('--tests') && !installPackages(`${root}test`, 'the packages of the tests')) process.exit(1);
buildPages();

/**
 * Returns the Node that runs everything else: the one that was installed if it starts here, else the system's if it is
 * new enough. npm finds the installed one by its link, which therefore goes while that Node does not start.
 */
function chooseNode() {
  const { engines, optionalDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const name = Object.keys(optionalDependencies).find((each) => existsSync(`${root}node_modules/${each}/bin/node`));
  const installed = `${root}node_modules/${name}/bin/node`;
  const start = name && spawnSync(installed, ['--version'], { encoding: 'utf8' });
  if (start?.status === 0) {
    if (!existsSync(nodeLink)) symlinkSync(`../${name}/bin/node`, nodeLink);
    return installed;
  }
  rmSync(nodeLink, { force: true });
  const reason = start
    ? `the Node that it includes does not start here: ${(start.error?.message ?? start.stderr).trim()}`
    : `it includes Node for Linux and macOS, but not for ${process.platform} ${process.arch}.`;
  if (isAtLeast(process.versions.node, engines.node.replace('>=', ''))) {
    console.error(`Switchboard: ${reason}\nSwitchboard: using the system's Node ${process.versions.node} instead.`);
    return process.execPath;
  }
  const library = reason.includes('libatomic')
    ? 'Install the library libatomic (Debian, Ubuntu: apt-get install libatomic1; Fedora: dnf install libatomic), or '
    : 'Install ';
  return fail(`${reason}\n${library}Node ${engines.node.replace('>=', '')} or later (found ${process.versions.node}).`);
}

function isAtLeast(version, minimum) {
  const [[major, minor], [minMajor, minMinor]] = [version, minimum].map((each) => each.split('.').map(Number));
  return major > minMajor || (major === minMajor && minor >= minMinor);
}

function buildPages() {
  if (isWebBuildCurrent(root, `${root}dist/web`)) return;
  console.error('Switchboard: building the web pages (once, about 5 seconds) …');
  const { status } = spawnSync(node, [`${root}scripts/build-web.ts`], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) fail('the web pages could not be built, see the lines above.');
}

function fail(message) {
  console.error(`Switchboard: ${message}`);
  process.exit(1);
}
