import type { Terminal } from './terminal.ts';

/** How users call this program: through npm in a clone, directly in a container or a unit file. */
export function getProgramText(env: Terminal['env']): string {
  return env.npm_command === undefined ? 'node src/main.ts' : 'npm run switchboard --';
}

/** A command for the user to run, as written: `toCommandText(env, 'key list')`. */
export function toCommandText(env: Terminal['env'], command: string): string {
  return `${getProgramText(env)} ${command}`;
}
