import { type Command, Option } from 'commander';
import type { Terminal } from './terminal.ts';

/** A command gets the arguments and options of its definition; it may answer with an exit code that is not 0. */
export type CommandFunction = (terminal: Terminal, ...args: never[]) => Promise<number> | Promise<void>;

/** Runs the named function of a file that is loaded only then: what one command needs does not slow down the start of the others. */
export type RunCommand = <Name extends string>(
  load: () => Promise<Record<NoInfer<Name>, CommandFunction>>,
  name: Name,
) => (...args: unknown[]) => Promise<void>;

/** Every command, in the order in which the help shows them. */
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

const accountOption = () => new Option('--account <id>', 'the account, where there are several').argParser(Number);

function defineService(program: Command, run: RunCommand): void {
  program
    .command('serve')
    .description('run the service')
    .option('--demo', 'add the demo data and keep its operators connected')
    .option('--port <port>', 'port to listen on, instead of PORT')
    .option('--host <address>', 'address to listen on, instead of HOST')
    .action(run(() => import('./serve.ts'), 'serve'));

  program
    .command('demo')
    .description('add the demo data to the database, once')
    .action(run(() => import('./demo.ts'), 'fillDemo'));
}

function defineKeys(program: Command, run: RunCommand): void {
  const keys = () => import('./key.ts');
  const key = program.command('key').description('API keys of the REST interface');
  key
    .command('create')
    .description('make a key; it is shown once')
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(
      new Option('--access <access>', 'read, or write (as powerful as an admin)')
        .choices(['read', 'write'])
        .default('read'),
    )
    .option('--days <days>', 'the key ends after so many days')
    .addOption(accountOption())
    .action(run(keys, 'createKey'));
  key.command('list').description('list the keys').addOption(accountOption()).action(run(keys, 'listKeys'));
  key
    .command('revoke')
    .description('end a key at once')
    .argument('<id>', 'its number in the list')
    .addOption(accountOption())
    .action(run(keys, 'revokeKey'));
}

function defineWebhooks(program: Command, run: RunCommand): void {
  const webhooks = () => import('./webhook.ts');
  const webhook = program.command('webhook').description('addresses to which events are sent');
  webhook
    .command('add')
    .description('send events to an address; the secret that signs them is shown once')
    .requiredOption('--name <name>', 'what the webhook is for')
    .requiredOption('--url <url>', 'an http or https address')
    .option('--types <types>', 'comma-separated, for example conversation.closed,operator.*; left out, all events')
    .addOption(accountOption())
    .action(run(webhooks, 'addWebhook'));
  webhook
    .command('list')
    .description('list the webhooks')
    .addOption(accountOption())
    .action(run(webhooks, 'listWebhooks'));
  for (const [name, description, action] of [
    ['remove', 'end a webhook', 'removeWebhook'],
    ['pause', 'send nothing until it is resumed', 'pauseWebhook'],
    ['resume', 'send what waits, and go on', 'resumeWebhook'],
    ['rotate', 'make a new secret; the old one signs too for 24 hours', 'rotateWebhook'],
    ['dead', 'list the events that could not be delivered', 'listDead'],
  ] as const) {
    const command = webhook.command(name).description(description).argument('<id>', 'its number in the list');
    command.addOption(accountOption()).action(run(webhooks, action));
  }
  webhook
    .command('replay')
    .description('send events again that could not be delivered')
    .argument('<id>', 'number of the webhook')
    .argument('[delivery]', 'number of one of its dead letters; left out, all')
    .addOption(accountOption())
    .action(run(webhooks, 'replayDead'));
}

function defineMigration(program: Command, run: RunCommand): void {
  program
    .command('migration')
    .description('the migration meter: what each key still uses of the REST interface')
    .option('--replacements', 'with the GraphQL documents that replace it')
    .addOption(accountOption())
    .action(run(() => import('./migration.ts'), 'showMigration'));
}

function defineOperators(program: Command, run: RunCommand): void {
  const operators = () => import('./operator.ts');
  const operator = program.command('operator').description('operators, who are also the users');
  operator
    .command('create')
    .description('make an operator; the password is asked for')
    .requiredOption('--email <address>', 'the login')
    .requiredOption('--name <name>', 'family name')
    .option('--first-name <name>', 'first name')
    .option('--roles <roles>', 'comma-separated: expert, operator, manager, admin', 'operator')
    .addOption(accountOption())
    .action(run(operators, 'createOperator'));
  operator
    .command('password')
    .description('set a new password, which is asked for; ends all tokens of the operator')
    .argument('<email>', 'the login')
    .action(run(operators, 'resetPassword'));
}

function defineImport(program: Command, run: RunCommand): void {
  const imports = () => import('./import.ts');
  program
    .command('import')
    .description('make or change many at once')
    .command('operators')
    .description(
      'from a CSV or JSON file: those whose external_id is known are changed, others made; only a dry run without --apply',
    )
    .argument('<file>', 'ends in .csv or .json')
    .option('--apply', 'do it when the dry run finds no mistakes')
    .option('--partly', 'take the good rows even if others have mistakes; without it, all or nothing')
    .addOption(accountOption())
    .action(run(imports, 'importOperators'));
  program
    .command('export')
    .description('write what import reads')
    .command('operators')
    .description('to a CSV or JSON file, as import reads it; without passwords and single sign-on keys')
    .argument('<file>', 'ends in .csv or .json')
    .addOption(accountOption())
    .action(run(imports, 'exportOperators'));
}

function defineAccounts(program: Command, run: RunCommand): void {
  const accounts = () => import('./account.ts');
  const account = program
    .command('account')
    .description('accounts: customers of this installation, apart from each other');
  account
    .command('create')
    .description('make an account with its first admin, whose password is asked for, and its first key')
    .requiredOption('--name <name>', 'name of the account')
    .requiredOption('--email <address>', 'e-mail of its first admin')
    .action(run(accounts, 'createAccountCommand'));
  account.command('list').description('list the accounts').action(run(accounts, 'listAccounts'));
}

function defineMaintenance(program: Command, run: RunCommand): void {
  const backups = () => import('./backup.ts');
  program
    .command('backup')
    .description('copy the database and its secret into a new folder, while the service runs')
    .argument('<folder>', 'a folder that does not exist yet')
    .action(run(backups, 'backup'));
  program
    .command('restore')
    .description('put a backup in the place of the database, while the service is stopped')
    .argument('<folder>', 'a folder made by backup')
    .option('--force', 'replace a database that exists; it is kept beside the new one')
    .action(run(backups, 'restore'));
  program
    .command('copy')
    .description('move a whole installation to another database, while the service is stopped; run it again to go on')
    .requiredOption('--from <database>', 'sqlite:<path> or postgres://<user>@<host>/<database>; it is never changed')
    .requiredOption('--to <database>', 'an empty database, or one to which this copy was begun')
    .option('--verify', 'only compare the two by counts and checksums, and change nothing')
    .option('--begin-again', 'throw away what a copy that was not finished has brought to the target')
    .option('--ignore-connections', 'copy although others are connected to a PostgreSQL, for example a monitor')
    .action(run(() => import('./copy.ts'), 'copy'));
  program
    .command('doctor')
    .description('check configuration, database, migrations and invariants')
    .action(run(() => import('./doctor.ts'), 'doctor'));
}
