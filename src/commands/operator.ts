import type { Installation } from '../app/installation.ts';
import { validate } from '../core/kernel/validate.ts';
import { operatorCreate } from '../core/operators/operator.ts';
import { loadAllOperators } from './all-operators.ts';
import { toCommandText } from './command-text.ts';
import { findCommandLineCaller, withInstallation } from './open.ts';
import { askNewPassword, confirm } from './prompt.ts';
import { CommandFailed } from './report.ts';
import { formatTable } from './table.ts';
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
    const caller = await findCommandLineCaller(terminal, installation, account);
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

export async function listOperators(terminal: Terminal, { account }: { account?: number }): Promise<void> {
  await withInstallation(terminal, async (installation) => {
    const { accountId } = await findCommandLineCaller(terminal, installation, account);
    const rows = (await loadAllOperators(installation, accountId)).map(
      ({ id, email, firstName, name, roles, groupId, externalId }) => [
        String(id),
        email,
        [firstName, name].filter(Boolean).join(' '),
        roles.join(','),
        String(groupId ?? '-'),
        externalId ?? '-',
      ],
    );
    terminal.console.log(formatTable(['id', 'email', 'name', 'roles', 'group', 'external id'], rows));
  });
}

export async function resetPassword(terminal: Terminal, email: string): Promise<void> {
  await withInstallation(terminal, async (installation) => {
    const { caller, operatorId } = await findOperator(terminal, installation, email);
    const password = await askNewPassword(terminal);
    await installation.administration.operators.changePassword(
      (work) => installation.database.transaction(work, caller.accountId),
      caller,
      operatorId,
      { password },
    );
    terminal.console.log('The password is set. All tokens of the operator are revoked.');
  });
}

export async function resetTwoFactor(terminal: Terminal, email: string, { yes }: { yes?: boolean }): Promise<void> {
  await withInstallation(terminal, async (installation) => {
    const { caller, operatorId } = await findOperator(terminal, installation, email);
    const [state] = await installation.access.twoFactorQuery.load(caller.accountId, [operatorId]);
    if (state?.enabledAt === null)
      throw new CommandFailed(`Two-factor authentication of ${email} is not set up: there is nothing to reset.`);
    if (!yes) await confirm(terminal, `Turn two-factor authentication off for operator ${operatorId} (${email})?`);
    await installation.access.twoFactor.reset(
      (work) => installation.database.transaction(work, caller.accountId),
      caller,
      operatorId,
    );
    const next = state?.isRequired ? 'They must set it up again at the next login.' : 'The password is enough now.';
    terminal.console.log(`Two-factor authentication is off. All sessions and tokens have ended. ${next}`);
  });
}

export async function deleteOperator(terminal: Terminal, email: string, { yes }: { yes?: boolean }): Promise<void> {
  await withInstallation(terminal, async (installation) => {
    const { caller, operatorId } = await findOperator(terminal, installation, email);
    if (!yes) await confirm(terminal, `Delete operator ${operatorId} (${email})?`);
    const operator = await installation.administration.operators.delete(
      (work) => installation.database.transaction(work, caller.accountId),
      caller,
      operatorId,
    );
    terminal.console.log(`Deleted operator ${operatorId}: ${operator.email}`);
  });
}

/** E-mail addresses are unique across all accounts. */
async function findOperator(terminal: Terminal, installation: Installation, email: string) {
  const login = await installation.administration.operators.findLogin(email);
  if (!login) {
    throw new CommandFailed(
      `There is no operator with the e-mail ${email}. To list operators, run: ${toCommandText(terminal.env, 'operator list')}`,
    );
  }
  return {
    caller: await findCommandLineCaller(terminal, installation, login.accountId),
    operatorId: login.operatorId,
  };
}
