import type { EventEmitter } from 'node:events';

/**
 * All that a command knows of the process it runs in. Commands that run at the same time in one process, each with its own,
 * do not notice each other.
 */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  /** Writes lines to the two outputs. */
  readonly console: Pick<Console, 'log' | 'error'>;
  /** Where the service writes its log. */
  readonly log: { write(line: string): void };
  /** Emits SIGINT and SIGTERM. */
  readonly signals: Pick<EventEmitter, 'on' | 'once' | 'off'>;
  /** Ends the process, whatever is still open: the end of a service. */
  exit(code: number): void;
}

/** What asks a program to stop: Ctrl+C, and the system. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export interface TerminalOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}
