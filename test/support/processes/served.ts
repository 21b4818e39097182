import { runProgram } from '../../../src/commands/program.ts';
import { until } from '../waiting/until.ts';
import { terminalWith } from './terminal.ts';

export interface Served {
  readonly url: string;
  /** All that it wrote to standard output. */
  output(): string;
  log(): string;
  /** Ends it as Ctrl+C does. */
  stop(): Promise<void>;
}

/** The command `serve` in this process, for what does not need a process: the start, what it shows, and the end. */
export async function serveInProcess(env: NodeJS.ProcessEnv): Promise<Served> {
  const { terminal, signals, stdout, stderr } = terminalWith(env, '');
  let hasEnded = false;
  const ended = runProgram(['serve'], terminal).finally(() => {
    hasEnded = true;
  });
  const address = () => stdout.text.match(/ready at (\S+)/)?.[1];
  await until('the service is ready, or has ended', () => hasEnded || address() !== undefined);
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
