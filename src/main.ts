import { Command, Option } from 'commander';
import { createAccountCommand, listAccounts } from './commands/account.ts';
import { backup, restore } from './commands/backup.ts';
import { fillDemo } from './commands/demo.ts';
import { doctor } from './commands/doctor.ts';
import { exportOperators, importOperators } from './commands/import.ts';
import { createKey, listKeys, revokeKey } from './commands/key.ts';
import { createOperator, resetPassword } from './commands/operator.ts';
import { reportFailure } from './commands/report.ts';
import { serve } from './commands/serve.ts';

process.umask(0o077); // the data, backups and secrets are for this user alone

const program = new Command('switchboard')
  .description(
    'An open, self-hosted customer-conversation platform. Settings come from the environment; see docs/configuration.md.',
  )
  .showHelpAfterError('(switchboard --help shows the commands)')
  .configureHelp({ sortSubcommands: false });

const account = () => new Option('--account <id>', 'the account, where there are several').argParser(Number);

program
  .command('serve', { isDefault: true })
  .description('run the service (the default)')
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
  .description('from a CSV or JSON file, found by external_id; a dry run unless --apply')
  .argument('<file>', 'ends in .csv or .json')
  .option('--apply', 'do it after the dry run')
  .option('--partly', 'take the good rows when others have mistakes; otherwise all or nothing')
  .addOption(account())
  .action(importOperators);
program
  .command('export')
  .description('write what import reads')
  .command('operators')
  .description('to a CSV or JSON file')
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
program.command('doctor').description('check configuration, database, migrations and invariants').action(doctor);

program.parseAsync().catch(reportFailure);
