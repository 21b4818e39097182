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
  const password = await askUnseen(terminal, 'New password (10 to 200 characters): ');
  if ((await askUnseen(terminal, 'Once more: ')) !== password)
    throw new CommandFailed('The two were not the same. Nothing was changed.');
  return password;
}

function askUnseen({ stdin, stderr }: Terminal, question: string): Promise<string> {
  stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: stdin, output: nowhere, terminal: true });
  return new Promise((resolve, reject) => {
    reader.once('SIGINT', () => {
      reader.close();
      reject(new CommandFailed('\nNothing was changed.'));
    });
    reader.question('', (answer) => {
      reader.close();
      stderr.write('\n');
      resolve(answer);
    });
  });
}
