import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The last commit before the migrations that this version adds: its nodes run beside those of this one. */
const PREVIOUS_COMMIT = '2cd1cb8a5956502b5c5d900a3b401e8e5bbdae7c';
/** The last migration of that commit. */
export const LAST_PREVIOUS_MIGRATION = '0005-access-tokens';

export interface PreviousVersion {
  /** The file that starts its service. */
  readonly main: string;
  remove(): void;
}

/** Why the code of the previous version is not available: there is no history in an exported source or a shallow clone. */
export const previousVersionMissing: string | false = isCommitAvailable()
  ? false
  : `the code of the previous version is not here: it needs git and a clone with the commit ${PREVIOUS_COMMIT}`;

/**
 * Extracts the code of the previous version into a temporary folder. It uses the installed packages of this one, which
 * no longer contain the files of its GraphiQL page, so that page is left out.
 */
export function extractPreviousVersion(): PreviousVersion {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-previous-'));
  const archive = execFileSync('git', ['archive', PREVIOUS_COMMIT, 'src', 'web', 'docs', 'package.json'], {
    cwd: ROOT,
    maxBuffer: 1 << 28,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  writeFileSync(join(folder, 'src/api/pages/graphiql.ts'), 'export function registerGraphiql() {}\n');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { main: join(folder, 'src/main.ts'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function isCommitAvailable(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${PREVIOUS_COMMIT}^{commit}`], { cwd: ROOT, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
