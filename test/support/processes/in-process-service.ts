import { runProgram } from '../../../src/commands/program.ts';
import { waitUntil } from '../waiting/wait.ts';
import { createTerminal } from './terminal.ts';

export interface InProcessService {
  readonly url: string;
  /** Everything written to standard output. */
  output(): string;
  log(): string;
  /** Stops it as Ctrl+C does. */
  stop(): Promise<void>;
}

/** Runs the command `serve` in this process, for tests of its start, output and shutdown. */
export async function serveInProcess(env: NodeJS.ProcessEnv, args: readonly string[] = []): Promise<InProcessService> {
  const { terminal, signals, stdout, stderr } = createTerminal(env, '');
  let hasEnded = false;
  const ended = runProgram(['serve', ...args], terminal).finally(() => {
    hasEnded = true;
  });
  const address = () => stdout.text.match(/ready at (\S+)/)?.[1];
  await waitUntil('the service is ready, or has ended', () => hasEnded || address() !== undefined);
  const url = address();
  if (url === undefined) throw new Error(`The service ended with ${await ended}:\n${stdout.text}${stderr.text}`);
  return {
    url,
    output: () => stdout.text,
    log: () => stderr.text,
    stop: async () => {
      signals.emit('SIGINT');
      const code = await ended;
      if (code !== 0) throw new Error(`The service ended with ${code}:\n${stderr.text}`);
    },
  };
}
