import { createAccount } from '../core/administration/account-creation.ts';
import { COMMAND_LINE, withInstallation } from './open.ts';
import { askNewPassword } from './prompt.ts';
import { formatTable } from './table.ts';
import type { Terminal } from './terminal.ts';

export async function createAccountCommand(
  terminal: Terminal,
  { name, email }: { name: string; email: string },
): Promise<void> {
  await withInstallation(
    terminal,
    async (installation) => {
      const admin = { email, password: await askNewPassword(terminal) };
      const account = await createAccount(installation, { name, admin, actor: COMMAND_LINE });
      terminal.console.log(
        `Created account ${account?.accountId} with the admin ${email}. Its API key, shown only once:\n\n  ${account?.apiKey}\n`,
      );
    },
    { canCreate: true },
  );
}

export async function listAccounts(terminal: Terminal): Promise<void> {
  await withInstallation(terminal, async ({ access: { accounts } }) => {
    terminal.console.log(
      formatTable(
        ['id', 'name'],
        (await accounts.list()).map(({ id, name }) => [String(id), name]),
      ),
    );
  });
}
