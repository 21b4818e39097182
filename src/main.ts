import { logOutput } from './app/log-output.ts';
import { runProgram } from './commands/program.ts';
import type { Terminal } from './commands/terminal.ts';

process.umask(0o077); // the data, backups and secrets are for this user alone

/** Standard input is opened by the first command that reads it. */
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

// Not awaited: a question that is never answered, as its input has ended, ends the process in silence.
runProgram(process.argv.slice(2), terminal).then((code) => {
  process.exitCode = code; // and not exit(), which would cut off what is still on its way into a pipe
});
