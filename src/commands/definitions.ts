import { type Command, Option } from 'commander';
import type { Terminal } from './terminal.ts';

/** Receives the arguments and options of its definition; can return a non-zero exit code. */
export type CommandFunction = (terminal: Terminal, ...args: never[]) => Promise<number> | Promise<void>;

/** Runs the named function of a module that is loaded on demand, so that commands start fast. */
export type RunCommand = <Name extends string>(
  load: () => Promise<Record<NoInfer<Name>, CommandFunction>>,
  name: Name,
) => (...args: unknown[]) => Promise<void>;

/** In the order of the help text. */
export function defineCommands(program: Command, run: RunCommand): void {
  defineService(program, run);
  defineKeys(program, run);
  defineWebhooks(program, run);
  defineMigration(program, run);
  defineOperators(program, run);
  defineImport(program, run);
  defineAccounts(program, run);
  defineMaintenance(program, run);
}

const accountOption = () => new Option('--account <id>', 'the account, if there are several').argParser(Number);

function defineService(program: Command, run: RunCommand): void {
  program
    .command('serve')
    .description('run the service')
    .option('--demo', 'add the demo data, and open a pretend shop where played people answer')
    .option('--port <port>', 'port to listen on, instead of PORT')
    .option('--host <address>', 'address to listen on, instead of HOST')
    .action(run(() => import('./serve.ts'), 'serve'));

  program
    .command('demo')
    .description('add the demo data to the database')
    .action(run(() => import('./demo.ts'), 'addDemoData'));
}

function defineKeys(program: Command, run: RunCommand): void {
  const keys = () => import('./key.ts');
  const key = program.command('key').description('API keys of the REST and GraphQL interfaces');
  key
    .command('create')
    .description('create a key; it is shown only once')
    .requiredOption('--name <name>', 'purpose of the key')
    .addOption(
      new Option('--access <access>', 'read, or write (same permissions as an admin)')
        .choices(['read', 'write'])
        .default('read'),
    )
    .option('--days <days>', 'number of days until the key expires')
    .addOption(accountOption())
    .action(run(keys, 'createKey'));
  key.command('list').description('list the keys').addOption(accountOption()).action(run(keys, 'listKeys'));
  key
    .command('revoke')
    .description('revoke a key immediately')
    .argument('<id>', 'its id in the list')
    .addOption(accountOption())
    .action(run(keys, 'revokeKey'));
}

function defineWebhooks(program: Command, run: RunCommand): void {
  const webhooks = () => import('./webhook.ts');
  const webhook = program.command('webhook').description('webhooks: send events to a URL');
  webhook
    .command('add')
    .description('add a webhook; its signing secret is shown only once')
    .requiredOption('--name <name>', 'purpose of the webhook')
    .requiredOption('--url <url>', 'an http or https address')
    .option('--types <types>', 'comma-separated, for example conversation.closed,operator.*; default: all events')
    .addOption(accountOption())
    .action(run(webhooks, 'addWebhook'));
  webhook
    .command('list')
    .description('list the webhooks')
    .addOption(accountOption())
    .action(run(webhooks, 'listWebhooks'));
  for (const [name, description, action] of [
    ['remove', 'delete a webhook', 'removeWebhook'],
    ['pause', 'stop sending events until the webhook is resumed', 'pauseWebhook'],
    ['resume', 'send pending events and continue', 'resumeWebhook'],
    ['rotate', 'create a new secret; events are also signed with the old one for 24 hours', 'rotateWebhook'],
    ['dead', 'list the events that could not be delivered', 'listDeadLetters'],
  ] as const) {
    const command = webhook.command(name).description(description).argument('<id>', 'its id in the list');
    command.addOption(accountOption()).action(run(webhooks, action));
  }
  webhook
    .command('replay')
    .description('resend events that could not be delivered')
    .argument('<id>', 'id of the webhook')
    .argument('[delivery]', 'id of one of its dead letters; default: all')
    .addOption(accountOption())
    .action(run(webhooks, 'replayDeadLetters'));
}

function defineMigration(program: Command, run: RunCommand): void {
  program
    .command('migration')
    .description('the migration meter: which REST operations each key still uses')
    .option('--replacements', 'also show the GraphQL documents that replace them')
    .addOption(accountOption())
    .action(run(() => import('./migration.ts'), 'showMigration'));
}

function defineOperators(program: Command, run: RunCommand): void {
  const operators = () => import('./operator.ts');
  const operator = program.command('operator').description('operators, who are also the users of the service');
  operator
    .command('create')
    .description('create an operator; prompts for the password')
    .requiredOption('--email <address>', 'the login')
    .requiredOption('--name <name>', 'last name')
    .option('--first-name <name>', 'first name')
    .option('--roles <roles>', 'comma-separated: expert, operator, manager, admin', 'operator')
    .addOption(accountOption())
    .action(run(operators, 'createOperator'));
  operator
    .command('list')
    .description('list the operators')
    .addOption(accountOption())
    .action(run(operators, 'listOperators'));
  operator
    .command('password')
    .description('set a new password; prompts for it and revokes all tokens of the operator')
    .argument('<email>', 'the login')
    .action(run(operators, 'resetPassword'));
  operator
    .command('reset-two-factor')
    .description(
      'turn two-factor authentication off for an operator who lost the authenticator app and the recovery codes; ends all their sessions and tokens, asks first',
    )
    .argument('<email>', 'the login')
    .option('--yes', 'do not ask')
    .action(run(operators, 'resetTwoFactor'));
  operator
    .command('delete')
    .description('delete an operator and requeue their conversations; asks first')
    .argument('<email>', 'the login')
    .option('--yes', 'do not ask')
    .action(run(operators, 'deleteOperator'));
}

function defineImport(program: Command, run: RunCommand): void {
  const imports = () => import('./import.ts');
  program
    .command('import')
    .description('create or update from a file')
    .command('operators')
    .description(
      'import operators from a CSV or JSON file: updates operators with a known external_id, or a known email if the row has no external_id, and creates the others; dry run without --apply',
    )
    .argument('<file>', 'ends in .csv or .json')
    .option('--apply', 'import if the dry run finds no errors')
    .option('--partly', 'import the valid rows even if others have errors; default: all or nothing')
    .addOption(accountOption())
    .action(run(imports, 'importOperators'));
  program
    .command('export')
    .description('write to a file that import can read')
    .command('operators')
    .description('export operators to a CSV or JSON file, without passwords and single sign-on keys')
    .argument('<file>', 'ends in .csv or .json')
    .addOption(accountOption())
    .action(run(imports, 'exportOperators'));
}

function defineAccounts(program: Command, run: RunCommand): void {
  const accounts = () => import('./account.ts');
  const account = program.command('account').description('accounts: separate customers of this installation');
  account
    .command('create')
    .description('create an account with its first admin and API key; prompts for the password')
    .requiredOption('--name <name>', 'name of the account')
    .requiredOption('--email <address>', 'e-mail of its first admin')
    .action(run(accounts, 'createAccountCommand'));
  account.command('list').description('list the accounts').action(run(accounts, 'listAccounts'));
}

function defineMaintenance(program: Command, run: RunCommand): void {
  const backups = () => import('./backup.ts');
  program
    .command('backup')
    .description('copy the database and its secret to a new folder; the service can keep running')
    .argument('<folder>', 'a folder that does not exist yet')
    .action(run(backups, 'backup'));
  program
    .command('restore')
    .description('replace the database with a backup; stop the service first')
    .argument('<folder>', 'a folder created by backup')
    .option('--force', 'replace an existing database; it is kept next to the new one')
    .action(run(backups, 'restore'));
  program
    .command('copy')
    .description('copy a whole installation to another database; stop the service first; run it again to resume')
    .requiredOption('--from <database>', 'sqlite:<path> or postgres://<user>@<host>/<database>; it is never changed')
    .requiredOption('--to <database>', 'an empty database, or the target of this copy if it was interrupted')
    .option('--verify', 'only compare row counts and checksums; change nothing')
    .option('--begin-again', 'discard the rows of an unfinished copy and restart')
    .option('--ignore-connections', 'copy even if other clients, for example a monitor, are connected to PostgreSQL')
    .action(run(() => import('./copy.ts'), 'copy'));
  program
    .command('doctor')
    .description('check configuration, database, migrations and invariants')
    .action(run(() => import('./doctor.ts'), 'doctor'));
}
