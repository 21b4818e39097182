import { runTogether } from '../support/processes/together.ts';

await runTogether(['api/graphql'], {
  database: 'postgres',
  except: {
    'api/graphql/clients': 'client libraries',
    'api/graphql/execution': 'compares compiled with interpreted documents; counts statements on the embedded database',
    'api/graphql/limits': 'documents that are rejected before any database access',
    'api/graphql/migration': 'the examples of a page; the APIs that they call have their own suites',
    'api/graphql/schema': 'the schema as text',
    'api/graphql/typed-documents': 'types only',
  },
});
