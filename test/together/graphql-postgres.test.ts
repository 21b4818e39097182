import { runTogether } from '../support/processes/together.ts';

await runTogether(['api/graphql'], {
  database: 'postgres',
  except: {
    'api/graphql/clients': 'client libraries',
    'api/graphql/execution':
      'compiled documents against plain ones; its statements are counted on the embedded database',
    'api/graphql/limits': 'documents that are refused before any database',
    'api/graphql/migration': 'the examples of a page; the interfaces that they use have suites of their own',
    'api/graphql/schema': 'the schema as text',
    'api/graphql/typed-documents': 'types of documents',
  },
});
