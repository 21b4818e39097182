import { Console } from 'node:console';
import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { Terminal } from '../../../src/commands/terminal.ts';

export interface CapturedTerminal {
  readonly terminal: Terminal;
  readonly signals: EventEmitter;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
}

/** A terminal for one command in this process; captures the output. */
export function createTerminal(env: NodeJS.ProcessEnv, input = '', { isTTY = false } = {}): CapturedTerminal {
  const [stdout, stderr] = [new CapturedOutput(isTTY), new CapturedOutput(isTTY)];
  const signals = new EventEmitter();
  const terminal: Terminal = {
    ...{ env, stdout, stderr, signals },
    stdin: Readable.from(input === '' ? [] : [input]),
    console: new Console(stdout, stderr),
    log: { write: (line) => void stderr.write(line) },
    exit: () => undefined,
  };
  return { terminal, signals, stdout, stderr };
}

class CapturedOutput extends Writable {
  readonly isTTY: boolean;
  text = '';

  constructor(isTTY: boolean) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}
