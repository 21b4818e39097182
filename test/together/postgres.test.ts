import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullReadSchema, schema } from '../../src/api/graphql/schema.ts';
import { visitorSchema } from '../../src/api/visitor/schema.ts';
import { recordOperations } from '../support/databases/executed-operations.ts';
import { runTogether } from '../support/processes/together.ts';

// The suites of the stores and of the engine run on both databases by themselves. Above them only SQL can differ: here
// every operation of every interface runs on PostgreSQL at least once, and what depends on locks and collations.
const operations = recordOperations({ operators: [schema, fullReadSchema], visitors: [visitorSchema] });

await runTogether(['api', 'commands', 'conformance'], {
  database: 'postgres',
  only: {
    'conformance/': 'every REST endpoint, and the tokens',
    'api/graphql/connections': 'the order of names, page by page',
    'api/graphql/import': 'the import in one transaction',
    'api/graphql/notes': 'notes after the last one read',
    'api/graphql/permission-filters': 'every filter and subscription',
    'api/graphql/permission-mutations': 'every mutation',
    'api/graphql/permissions': 'every query and field',
    'api/graphql/routable': 'the routable operators as SQL',
    'api/graphql/visitor-details': 'earlier conversations of a visitor',
    'api/graphql/visitors-and-statistics': 'lists of visitors and surveys by groups',
    'api/graphql/waiting-conversations': 'the queue by needs',
    'api/oauth/login-limits': 'limits under concurrency',
    'api/oauth/password-link': 'claims a link once',
    'api/oauth/session': 'sessions of browsers',
    'api/oauth/sso': 'claims a code once',
    'api/oauth/token': 'claims a refresh token once',
    'api/rest/conversation': 'filters of conversations',
    'api/rest/directory': 'members of groups and skills',
    'api/rest/filters': 'filters of operators',
    'api/rest/filters-model': 'upper and lower case, wildcards',
    'api/rest/idempotency': 'locks',
    'api/rest/satisfaction-tag': 'single surveys and tags',
    'api/rest/slow': 'deadlines of reads',
    'api/visitor/attachments': 'bytes of files',
    'api/visitor/context': 'the context of visitors',
    'api/visitor/conversations': 'one answer to a survey under concurrency',
    'api/visitor/erase': 'every table that has personal data',
    'api/visitor/events': 'the log after a position',
    'api/visitor/identity': 'visitors who are merged',
    'api/visitor/limits': 'limits under concurrency',
    'api/visitor/messages-left': 'messages left by visitors',
    'api/visitor/read-markers': 'markers that never go back',
    'api/visitor/renewal': 'sessions by the clock of the database',
    'api/visitor/session': 'one visitor for concurrent sessions',
    'api/visitor/signals': 'notifications',
    'api/visitor/tokens': 'tokens by the clock of the database',
    'api/visitor/widget': 'what is on offer without a session',
    'commands/cli': 'every command',
  },
});

test('every operation of both GraphQL schemas ran on PostgreSQL', () => {
  assert.deepEqual(operations.findMissing(), []);
});
