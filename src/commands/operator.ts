import { validate } from '../core/kernel/validate.ts';
import { operatorCreate } from '../core/operators/operator.ts';
import { findCommandLineCaller, withInstallation } from './open.ts';
import { askNewPassword } from './prompt.ts';
import { CommandFailed } from './report.ts';
import type { Terminal } from './terminal.ts';

interface NewOperatorOptions {
  readonly email: string;
  readonly name: string;
  readonly firstName?: string;
  readonly roles: string;
  readonly account?: number;
}

export async function createOperator(
  terminal: Terminal,
  { account, roles, ...fields }: NewOperatorOptions,
): Promise<void> {
  await withInstallation(terminal, async (installation) => {
    const caller = await findCommandLineCaller(installation, account);
    const input = { ...fields, roles: roles.split(',').map((role) => role.trim()) };
    validate(operatorCreate, input); // before prompting for a password
    const password = await askNewPassword(terminal);
    const operator = await installation.administration.operators.create(
      (work) => installation.database.transaction(work, caller.accountId),
      caller,
      validate(operatorCreate, { ...input, password }),
    );
    terminal.console.log(`Created operator ${operator.id}: ${operator.email}`);
  });
}

export async function resetPassword(terminal: Terminal, email: string): Promise<void> {
  await withInstallation(terminal, async (installation) => {
    const login = await installation.administration.operators.findLogin(email);
    if (!login) throw new CommandFailed(`There is no operator with the e-mail ${email}.`);
    const caller = await findCommandLineCaller(installation, login.accountId);
    const password = await askNewPassword(terminal);
    await installation.administration.operators.changePassword(
      (work) => installation.database.transaction(work, caller.accountId),
      caller,
      login.operatorId,
      { password },
    );
    terminal.console.log('The password is set. All tokens of the operator are revoked.');
  });
}
