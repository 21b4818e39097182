import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandFailed } from './report.ts';

/** Asks for a new password, twice and unseen on a terminal; from a pipe, its first line. */
export async function askNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) {
    for await (const line of createInterface({ input: process.stdin })) return line;
    throw new CommandFailed('A password is expected on standard input.');
  }
  const password = await askUnseen('New password (10 to 200 characters): ');
  if ((await askUnseen('Once more: ')) !== password)
    throw new CommandFailed('The two were not the same. Nothing was changed.');
  return password;
}

function askUnseen(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  return new Promise((resolve, reject) => {
    reader.once('SIGINT', () => {
      reader.close();
      reject(new CommandFailed('\nNothing was changed.'));
    });
    reader.question('', (answer) => {
      reader.close();
      process.stderr.write('\n');
      resolve(answer);
    });
  });
}
