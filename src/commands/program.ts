import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { getProgramText, toCommandText } from './command-text.ts';
import { defineCommands, type RunCommand } from './definitions.ts';
import type { Terminal } from './terminal.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Runs a command and returns its exit code. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = 0;
  const run: RunCommand =
    (load, name) =>
    async (...commanderArgs) => {
      const { [name]: command } = await load();
      const commandArgs = commanderArgs.slice(0, -1); // the last one is the Command object
      exitCode = (await command(terminal, ...(commandArgs as never[]))) ?? 0;
    };
  const program = new Command(getProgramText(terminal.env))
    .description(
      'An open, self-hosted customer-conversation platform. Settings come from the environment; see docs/configuration.md.',
    )
    .showHelpAfterError(`(${toCommandText(terminal.env, '--help')} shows the commands)`)
    .configureHelp({ sortSubcommands: false })
    .configureOutput(createOutput(terminal))
    .exitOverride()
    .version(version);
  defineCommands(program, run);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode; // commander has already printed the reason
    const { reportFailure } = await import('./report.ts');
    reportFailure(error, terminal);
    return 1;
  }
}

function createOutput({ stdout, stderr }: Terminal) {
  return {
    writeOut: (text: string) => void stdout.write(text),
    writeErr: (text: string) => void stderr.write(text),
    getOutHelpWidth: () => stdout.columns as number,
    getErrHelpWidth: () => stderr.columns as number,
  };
}
