import { z } from 'zod';
import type { ApiKey, KeyAccess } from '../../../core/access/api-keys.ts';
import { text as textOf } from '../../../core/kernel/text.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { idOf } from '../../graphql-server/ids.ts';
import { changed } from '../../graphql-server/mutation.ts';
import { builder, idInput, mutation, wordsEnum } from '../builder.ts';

const AccessEnum = wordsEnum<KeyAccess>('ApiKeyAccess', 'What a key may do.', {
  read: 'Reads everything of the account but secrets.',
  write: 'As powerful as an admin.',
});

export const ApiKeyRef = builder.objectRef<ApiKey>('ApiKey').implement({
  description: 'A key of the REST interface. The key itself is shown once, when it is made.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier.' }),
    name: t.exposeString('name', { description: 'What the key is for.' }),
    prefix: t.exposeString('prefix', { description: 'How the key begins.' }),
    access: t.expose('access', { type: AccessEnum, description: 'What it may do.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it ends by itself.' }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true, description: 'When it was used last.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was revoked.' }),
  }),
});

builder.queryField('apiKeys', (t) =>
  t.field({
    type: [ApiKeyRef],
    nullable: true,
    description: 'The keys of the account. For admins.',
    resolve: (_root, _args, { caller, services }) => services.access.apiKeys.list(caller),
  }),
);

const newKey = z.strictObject({ name: textOf(1, 255) });

interface MadeKey {
  readonly key: ApiKey;
  readonly secret: string | null;
}

mutation('apiKeyCreate', {
  description: 'Makes a key of the REST interface. For admins.',
  argument: 'The key.',
  input: {
    description: 'A new key.',
    fields: (t) => ({
      name: t.string({ required: true, description: 'What the key is for.' }),
      access: t.field({ type: AccessEnum, required: true, description: 'What it may do.' }),
      expiresAt: t.field({ type: 'DateTime', description: 'When it ends by itself.' }),
    }),
  },
  answer: {
    ...changed('apiKey', ApiKeyRef, ({ key }: MadeKey) => key),
    key: {
      type: 'String',
      description: 'The key itself, shown this once; null when the request is repeated.',
      of: ({ secret }: MadeKey) => secret,
    },
  },
  run: (commit, { caller, services }, { access, expiresAt, ...input }) => {
    const key = { ...validate(newKey, input), access, expiresAt: expiresAt?.getTime() ?? null };
    return commit((tx) => services.access.apiKeys.create(tx, caller, key));
  },
});

mutation('apiKeyRevoke', {
  description: 'Ends a key; noticed everywhere within a second. For admins.',
  argument: 'Which key.',
  input: idInput('Which key.'),
  answer: changed('apiKey', ApiKeyRef),
  run: (commit, { caller, services }, input) => {
    const id = idOf('api_key', input.id);
    return commit((tx) => services.access.apiKeys.revoke(tx, caller, id));
  },
});
