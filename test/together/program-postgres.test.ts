import { runTogether } from '../support/processes/together.ts';

await runTogether(['app', 'commands'], {
  database: 'postgres',
  except: {
    'app/configuration': 'starts on a database file and on a folder',
    'commands/cli-process': 'the process, independent of the database',
    'commands/copy-cli': 'chooses its own databases',
    'commands/copy-interrupted': 'chooses its own databases',
    'commands/import-cli': 'the terminal; api/graphql/import covers the import',
    'commands/webhook-cli': 'the terminal; api/webhooks covers the webhooks',
  },
});
