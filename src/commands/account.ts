import { createAccount } from '../core/administration/account-creation.ts';
import { COMMAND_LINE, withInstallation } from './open.ts';
import { askNewPassword } from './prompt.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';

export async function createAccountCommand(
  terminal: Terminal,
  { name, email }: { name: string; email: string },
): Promise<void> {
  await withInstallation(
    terminal,
    async (installation) => {
      const admin = { email, password: await askNewPassword(terminal) };
      const made = await createAccount(installation, { name, admin, actor: COMMAND_LINE });
      terminal.console.log(
        `Account ${made?.accountId} is made, with the admin ${email} and this key, shown this once:\n\n  ${made?.apiKey}\n`,
      );
    },
    { mayCreate: true },
  );
}

export async function listAccounts(terminal: Terminal): Promise<void> {
  await withInstallation(terminal, async ({ access: { accounts } }) => {
    terminal.console.log(
      table(
        ['id', 'name'],
        (await accounts.all()).map(({ id, name }) => [String(id), name]),
      ),
    );
  });
}
