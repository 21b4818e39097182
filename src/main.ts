import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { createAccountCommand, listAccounts } from './commands/account.ts';
import { backup, restore } from './commands/backup.ts';
import { copy } from './commands/copy.ts';
import { fillDemo } from './commands/demo.ts';
import { doctor } from './commands/doctor.ts';
import { exportOperators, importOperators } from './commands/import.ts';
import { createKey, listKeys, revokeKey } from './commands/key.ts';
import { showMigration } from './commands/migration.ts';
import { createOperator, resetPassword } from './commands/operator.ts';
import { reportFailure } from './commands/report.ts';
import { serve } from './commands/serve.ts';
import {
  addWebhook,
  listDead,
  listWebhooks,
  pauseWebhook,
  removeWebhook,
  replayDead,
  resumeWebhook,
  rotateWebhook,
} from './commands/webhook.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

process.umask(0o077); // the data, backups and secrets are for this user alone

const program = new Command('switchboard')
  .description(
    'An open, self-hosted customer-conversation platform. Settings come from the environment; see docs/configuration.md.',
  )
  .showHelpAfterError('(switchboard --help shows the commands)')
  .configureHelp({ sortSubcommands: false })
  .version(version);

const account = () => new Option('--account <id>', 'the account, where there are several').argParser(Number);

program
  .command('serve')
  .description('run the service')
  .option('--demo', 'add the demo data and keep its operators connected')
  .option('--port <port>', 'port to listen on, instead of PORT')
  .option('--host <address>', 'address to listen on, instead of HOST')
  .action(serve);

program.command('demo').description('add the demo data to the database, once').action(fillDemo);

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
  .addOption(account())
  .action(createKey);
key.command('list').description('list the keys').addOption(account()).action(listKeys);
key
  .command('revoke')
  .description('end a key at once')
  .argument('<id>', 'its number in the list')
  .addOption(account())
  .action(revokeKey);

const webhook = program.command('webhook').description('addresses to which events are sent');
webhook
  .command('add')
  .description('send events to an address; the secret that signs them is shown once')
  .requiredOption('--name <name>', 'what the webhook is for')
  .requiredOption('--url <url>', 'an http or https address')
  .option('--types <types>', 'comma-separated, for example conversation.closed,operator.*; left out, all events')
  .addOption(account())
  .action(addWebhook);
webhook.command('list').description('list the webhooks').addOption(account()).action(listWebhooks);
for (const [name, description, action] of [
  ['remove', 'end a webhook', removeWebhook],
  ['pause', 'send nothing until it is resumed', pauseWebhook],
  ['resume', 'send what waits, and go on', resumeWebhook],
  ['rotate', 'make a new secret; the old one signs too for 24 hours', rotateWebhook],
  ['dead', 'list the events that could not be delivered', listDead],
] as const) {
  const command = webhook.command(name).description(description).argument('<id>', 'its number in the list');
  command.addOption(account()).action(action);
}
webhook
  .command('replay')
  .description('send events again that could not be delivered')
  .argument('<id>', 'number of the webhook')
  .argument('[delivery]', 'number of one of its dead letters; left out, all')
  .addOption(account())
  .action(replayDead);

program
  .command('migration')
  .description('the migration meter: what each key still uses of the REST interface')
  .option('--replacements', 'with the GraphQL documents that replace it')
  .addOption(account())
  .action(showMigration);

const operator = program.command('operator').description('operators, who are also the users');
operator
  .command('create')
  .description('make an operator; the password is asked for')
  .requiredOption('--email <address>', 'the login')
  .requiredOption('--name <name>', 'family name')
  .option('--first-name <name>', 'first name')
  .option('--roles <roles>', 'comma-separated: expert, operator, manager, admin', 'operator')
  .addOption(account())
  .action(createOperator);
operator
  .command('password')
  .description('set a new password, which is asked for; ends all tokens of the operator')
  .argument('<email>', 'the login')
  .action(resetPassword);

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
  .addOption(account())
  .action(importOperators);
program
  .command('export')
  .description('write what import reads')
  .command('operators')
  .description('to a CSV or JSON file, as import reads it; without passwords and single sign-on keys')
  .argument('<file>', 'ends in .csv or .json')
  .addOption(account())
  .action(exportOperators);

const accounts = program
  .command('account')
  .description('accounts: customers of this installation, apart from each other');
accounts
  .command('create')
  .description('make an account with its first admin, whose password is asked for, and its first key')
  .requiredOption('--name <name>', 'name of the account')
  .requiredOption('--email <address>', 'e-mail of its first admin')
  .action(createAccountCommand);
accounts.command('list').description('list the accounts').action(listAccounts);

program
  .command('backup')
  .description('copy the database and its secret into a new folder, while the service runs')
  .argument('<folder>', 'a folder that does not exist yet')
  .action(backup);
program
  .command('restore')
  .description('put a backup in the place of the database, while the service is stopped')
  .argument('<folder>', 'a folder made by backup')
  .option('--force', 'replace a database that exists; it is kept beside the new one')
  .action(restore);
program
  .command('copy')
  .description('move a whole installation to another database, while the service is stopped; run it again to go on')
  .requiredOption('--from <database>', 'sqlite:<path> or postgres://<user>@<host>/<database>; it is never changed')
  .requiredOption('--to <database>', 'an empty database, or one to which this copy was begun')
  .option('--verify', 'only compare the two by counts and checksums, and change nothing')
  .option('--begin-again', 'throw away what a copy that was not finished has brought to the target')
  .option('--ignore-connections', 'copy although others are connected to a PostgreSQL, for example a monitor')
  .action(copy);
program.command('doctor').description('check configuration, database, migrations and invariants').action(doctor);

program.parseAsync().catch(reportFailure);
