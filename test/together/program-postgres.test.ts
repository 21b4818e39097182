import { runTogether } from '../support/processes/together.ts';

await runTogether(['app', 'commands'], {
  database: 'postgres',
  except: {
    'app/configuration': 'the start on a file and on a folder',
    'commands/cli-process': 'the process, whatever the database',
    'commands/copy-cli': 'names its own databases',
    'commands/copy-interrupted': 'names its own databases',
    'commands/import-cli': 'the terminal; api/graphql/import is the same import',
    'commands/webhook-cli': 'the terminal; api/webhooks is the same webhooks',
  },
});
