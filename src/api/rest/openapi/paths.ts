import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  groupCreate,
  groupSchema,
  groupUpdate,
  skillCreate,
  skillSchema,
  skillUpdate,
} from '../../../core/directory/tree.ts';
import { websiteCreate, websiteSchema, websiteUpdate } from '../../../core/directory/website.ts';
import { operatorCreate, operatorSchema, operatorUpdate } from '../../../core/operators/operator.ts';
import { CLIENT_FILTERS, clientSchema } from '../client.ts';
import { OPERATOR_FILTERS } from '../operator.ts';
import { TREE_FILTERS } from '../tree.ts';
import { WEBSITE_FILTERS } from '../website.ts';
import { conversationPaths } from './conversation-paths.ts';
import * as examples from './examples.ts';
import { operatorPaths } from './operator-paths.ts';
import { buildResourcePaths } from './resource-paths.ts';

const IN_USE = 'Rejected with 409 while it is in use; the message lists what uses it.';

/** Everything under `/api/2`. */
export const restPaths: ZodOpenApiPathsObject = {
  ...buildResourcePaths({
    name: 'operator',
    tag: 'Operator',
    schema: operatorSchema,
    filters: OPERATOR_FILTERS,
    example: examples.operator,
    writes: {
      create: operatorCreate,
      createExample: {
        name: 'Martin',
        first_name: 'Alice',
        email: 'alice.martin@example.com',
        roles: ['operator', 'manager'],
        website_list: [1, 2],
        call_config: { type: 'ANSWER_FROM_PHONE', phone_number: '+33123456789' },
      },
      createNote:
        '`pseudo` defaults to the first name or, without one, to the name; `language_list` to `language_admin`; `website_list` to all websites of the account. Without a `password` the operator cannot log in yet.',
      update: operatorUpdate,
      updateExample: { chat_max_number: 5, language_list: ['en', 'fr'] },
      deleteNote:
        'Conversations and statistics are retained. Tokens are revoked, the operator goes offline, and open conversations are requeued. The last admin of an account cannot be deleted (409).',
    },
  }),
  ...operatorPaths,
  ...buildResourcePaths({
    name: 'client',
    tag: 'Directory',
    schema: clientSchema,
    filters: CLIENT_FILTERS,
    example: examples.client,
  }),
  ...buildResourcePaths({
    name: 'website',
    tag: 'Directory',
    schema: websiteSchema,
    filters: WEBSITE_FILTERS,
    example: examples.website,
    writes: {
      create: websiteCreate,
      createExample: { url: 'https://www.example.com', label: 'Shop' },
      update: websiteUpdate,
      updateExample: { label: 'Shop France', timezone: 'Europe/Paris' },
      deleteNote: IN_USE,
    },
  }),
  ...buildResourcePaths({
    name: 'group',
    tag: 'Directory',
    schema: groupSchema,
    filters: TREE_FILTERS.group,
    example: examples.group,
    writes: {
      create: groupCreate,
      createExample: { name: 'Sales', parent_id: 1 },
      update: groupUpdate,
      updateExample: { name: 'Sales Europe' },
      deleteNote: IN_USE,
    },
  }),
  ...buildResourcePaths({
    name: 'skill',
    tag: 'Directory',
    schema: skillSchema,
    filters: TREE_FILTERS.skill,
    example: examples.skill,
    writes: {
      create: skillCreate,
      createExample: { name: 'Returns', order: 10 },
      update: skillUpdate,
      updateExample: { order: 20 },
      deleteNote: IN_USE,
    },
  }),
  ...conversationPaths,
};
