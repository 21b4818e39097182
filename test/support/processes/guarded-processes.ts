import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads which child processes have started and ended. Its input is closed when this process is gone, even if it was
 * killed; then the guard kills the remaining children. A suspended process must be resumed before it can end.
 */
const GUARD = `
  left=" "
  while read -r sign pid; do
    case $sign in
      +) left="$left$pid " ;;
      -) left="\${left%% $pid *} \${left#* $pid }" ;;
    esac
  done
  for pid in $left; do kill -KILL "$pid"; kill -CONT "$pid"; done
`;

let guard: ChildProcess | undefined;

/** Starts a process that ends with this one at the latest, even if the test fails or is killed. */
export const spawnGuarded = ((...args: Parameters<typeof spawn>) => {
  guard ??= startGuard();
  const child = spawn(...args);
  const { pid } = child;
  if (pid !== undefined) {
    guard.stdin?.write(`+ ${pid}\n`);
    child.once('exit', () => guard?.stdin?.write(`- ${pid}\n`));
  }
  return child;
}) as typeof spawn;

function startGuard(): ChildProcess {
  const started = spawn('sh', ['-c', GUARD], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' });
  started.unref();
  (started.stdin as unknown as { unref(): void }).unref();
  return started;
}
