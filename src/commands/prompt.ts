import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandFailed } from './report.ts';
import type { Terminal } from './terminal.ts';

/** Prompts twice without echo on a terminal; reads the first line from a pipe. */
export async function askNewPassword(terminal: Terminal): Promise<string> {
  if (!terminal.stdin.isTTY) {
    for await (const line of createInterface({ input: terminal.stdin })) return line;
    throw new CommandFailed('A password is expected on standard input.');
  }
  // Created before the first prompt: the terminal does not echo input while the reader exists.
  const silentOutput = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: terminal.stdin, output: silentOutput, terminal: true });
  reader.once('SIGINT', () => reader.close());
  const lines = reader[Symbol.asyncIterator]();
  const ask = async (prompt: string) => {
    terminal.stderr.write(prompt);
    const { value, done } = await lines.next();
    terminal.stderr.write('\n');
    if (done) throw new CommandFailed('Nothing was changed.');
    return value;
  };
  try {
    const password = await ask('New password (10 to 200 characters): ');
    if ((await ask('Repeat the password: ')) !== password)
      throw new CommandFailed('The passwords do not match. Nothing was changed.');
    return password;
  } finally {
    reader.close();
  }
}

/** Throws unless the user answers yes. Without a terminal there is no one to ask. */
export async function confirm({ stdin, stderr }: Terminal, question: string): Promise<void> {
  if (!stdin.isTTY) throw new CommandFailed('Nothing was changed. Add --yes to confirm.');
  const reader = createInterface({ input: stdin });
  stderr.write(`${question} [y/N] `);
  try {
    for await (const line of reader) {
      if (/^y(es)?$/i.test(line.trim())) return;
      break;
    }
  } finally {
    reader.close();
  }
  throw new CommandFailed('Nothing was changed.');
}
