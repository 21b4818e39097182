import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandFailed } from './report.ts';
import type { Terminal } from './terminal.ts';

/** Asks for a new password, twice and unseen on a terminal; from a pipe, its first line. */
export async function askNewPassword(terminal: Terminal): Promise<string> {
  if (!terminal.stdin.isTTY) {
    for await (const line of createInterface({ input: terminal.stdin })) return line;
    throw new CommandFailed('A password is expected on standard input.');
  }
  // The reader comes before the first question: while it is there the terminal does not show what is typed.
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: terminal.stdin, output: unseen, terminal: true });
  reader.once('SIGINT', () => reader.close());
  const lines = reader[Symbol.asyncIterator]();
  const ask = async (question: string) => {
    terminal.stderr.write(question);
    const { value, done } = await lines.next();
    terminal.stderr.write('\n');
    if (done) throw new CommandFailed('Nothing was changed.');
    return value;
  };
  try {
    const password = await ask('New password (10 to 200 characters): ');
    if ((await ask('Once more: ')) !== password)
      throw new CommandFailed('The two were not the same. Nothing was changed.');
    return password;
  } finally {
    reader.close();
  }
}
