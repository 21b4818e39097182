import { runTogether } from '../support/together.ts';

await runTogether('graphql', {
  database: 'postgres',
  except: {
    clients: 'client libraries',
    execution: 'compiled documents against plain ones; its statements are counted on the embedded database',
    limits: 'documents that are refused before any database',
    migration: 'the examples of a page; the interfaces that they use have suites of their own',
    schema: 'the schema as text',
    'typed-documents': 'types of documents',
  },
});
