import { z } from 'zod';
import type { ApiKey, KeyAccess } from '../../../core/access/api-keys.ts';
import { requiredText } from '../../../core/kernel/text.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { requireId } from '../../graphql-server/ids.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { requireAdminCaller } from '../authorize.ts';
import { addMutation, builder, createEnum, idInput } from '../builder.ts';

const AccessEnum = createEnum<KeyAccess>('ApiKeyAccess', 'The access level of an API key.', {
  read: 'Queries and subscriptions: everything in the account except secrets.',
  write: 'Also mutations, with the permissions of an admin. A key has no viewer.',
});

export const ApiKeyRef = builder.objectRef<ApiKey>('ApiKey').implement({
  description: 'An API key, for REST and GraphQL. The key itself is shown only once, when it is created.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier of the API key.' }),
    name: t.exposeString('name', { description: 'The purpose of the key.' }),
    prefix: t.exposeString('prefix', { description: 'The first characters of the key.' }),
    access: t.expose('access', { type: AccessEnum, description: 'The access level.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the key was created.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When the key expires.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was last used.',
    }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When the key was revoked.' }),
  }),
});

builder.queryField('apiKeys', (t) =>
  t.field({
    type: [ApiKeyRef],
    nullable: true,
    description: 'The API keys of the account. Admins only.',
    resolve: (_root, _args, { caller, services }) => services.access.apiKeys.list(caller),
  }),
);

const newKey = z.strictObject({ name: requiredText(255) });

interface CreatedKey {
  readonly key: ApiKey;
  readonly secret: string | null;
}

addMutation('apiKeyCreate', {
  description: 'Creates an API key. Admins only.',
  argumentDescription: 'The key to create.',
  input: {
    description: 'The key to create.',
    fields: (t) => ({
      name: t.string({ required: true, description: 'The purpose of the key.' }),
      access: t.field({ type: AccessEnum, required: true, description: 'The access level.' }),
      expiresAt: t.field({ type: 'DateTime', description: 'When the key expires.' }),
    }),
  },
  payload: {
    ...objectPayload('apiKey', ApiKeyRef, ({ key }: CreatedKey) => key),
    key: {
      type: 'String',
      description: 'The key itself, shown only once. Null if the request is a retry.',
      resolve: ({ secret }: CreatedKey) => secret,
    },
  },
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, { access, expiresAt, ...input }) => {
    const key = { ...validate(newKey, input), access, expiresAt: expiresAt?.getTime() ?? null };
    return commit((tx) => services.access.apiKeys.create(tx, caller, key));
  },
});

addMutation('apiKeyRevoke', {
  description: 'Revokes an API key. It is rejected everywhere within one second. Admins only.',
  argumentDescription: 'The key to revoke.',
  input: idInput('The key to revoke.', 'The identifier of the API key.'),
  payload: objectPayload('apiKey', ApiKeyRef),
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, input) => {
    const id = requireId('api_key', input.id);
    return commit((tx) => services.access.apiKeys.revoke(tx, caller, id));
  },
});
