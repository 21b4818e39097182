import { logOutput } from './app/log-output.ts';
import { runProgram } from './commands/program.ts';
import type { Terminal } from './commands/terminal.ts';

process.umask(0o077); // data, backups and secrets are readable by this user only

/** The streams are getters so that they are opened on first use. */
const terminal: Terminal = {
  env: process.env,
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  console,
  log: logOutput,
  signals: process,
  exit: (code) => process.exit(code),
};

// Not awaited: if standard input ends during a prompt, the process exits silently.
runProgram(process.argv.slice(2), terminal).then((code) => {
  process.exitCode = code; // not exit(), which would truncate output that is still being written to a pipe
});
