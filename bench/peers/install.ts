import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { showProgress } from '../progress.ts';

/** The measured versions. They are installed on first use, and are no dependencies of the project. */
export const PEERS = { postgraphile: '5.1.5', 'json-server': '0.17.4', 'parse-server': '9.10.0' } as const;

const PROGRESS_MS = 10_000;
/** A stack follows. */
const REASON_LINES = 4;
const INSTALL_ARGUMENTS = [
  'install',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  '--fetch-retries=1',
];
/** The packages list the versions of Node that they are tested with; they run in that of this process. */
const ENVIRONMENT = { npm_config_engine_strict: 'false', npm_config_update_notifier: 'false' };

/** Returns the folder of the installed packages. */
export async function installPeers(cache: string): Promise<string> {
  const manifest = JSON.stringify({ private: true, dependencies: PEERS }, null, 2);
  const folder = join(cache, `peers-${hash('sha256', manifest, 'hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    writeFileSync(join(unfinished, 'package.json'), manifest);
    await runNpmInstall(unfinished);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

async function runNpmInstall(folder: string): Promise<void> {
  const startedAt = performance.now();
  const report = () => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    showProgress(`installing ${listPeers()} (once, two minutes, 500 MB): ${seconds} s`);
  };
  report();
  const timer = setInterval(report, PROGRESS_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      const options = { cwd: folder, env: { ...process.env, ...ENVIRONMENT } };
      const installing = execFile('npm', INSTALL_ARGUMENTS, options, (error, _output, errors) => {
        if (error) reject(new Error(describeFailure(errors || String(error))));
        else resolve();
      });
      process.once('exit', () => installing.kill());
    });
  } finally {
    clearInterval(timer);
  }
}

function describeFailure(output: string): string {
  const reason = output.trim().split('\n').slice(0, REASON_LINES).join('\n');
  return (
    `npm could not install ${listPeers()}. The comparison with them needs the npm registry once; ` +
    `check the network and "npm config get registry". npm says:\n${reason}`
  );
}

function listPeers(): string {
  return Object.entries(PEERS)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
}
