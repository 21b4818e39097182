import type { EventEmitter } from 'node:events';

/**
 * The process environment of a command. Commands with separate terminals can run concurrently in one process without
 * affecting each other.
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
  /** Exits the process even if handles are still open. */
  exit(code: number): void;
}

export const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export interface TerminalOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}
