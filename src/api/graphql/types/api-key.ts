import { z } from 'zod';
import type { ApiKey, KeyAccess } from '../../../core/access/api-keys.ts';
import { unknownId } from '../../../core/kernel/errors.ts';
import { parseId } from '../../../core/kernel/ids.ts';
import { text as textOf } from '../../../core/kernel/text.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { builder } from '../builder.ts';
import { payloadType } from '../mutation.ts';

const AccessEnum = builder.enumType('ApiKeyAccess', {
  description: 'What a key may do.',
  values: {
    READ: { value: 'read' as KeyAccess, description: 'Reads everything of the account but secrets.' },
    WRITE: { value: 'write' as KeyAccess, description: 'As powerful as an admin.' },
  },
});

export const ApiKeyRef = builder.objectRef<ApiKey>('ApiKey').implement({
  description: 'A key of the REST interface. The key itself is shown once, when it is made.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier.' }),
    name: t.exposeString('name', { description: 'What the key is for.' }),
    prefix: t.exposeString('prefix', { description: 'How the key begins.' }),
    access: t.field({ type: AccessEnum, description: 'What it may do.', resolve: (key) => key.access }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was made.', resolve: (key) => key.createdAt }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ends by itself.',
      resolve: (key) => key.expiresAt,
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was used last.',
      resolve: (key) => key.lastUsedAt,
    }),
    revokedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked.',
      resolve: (key) => key.revokedAt,
    }),
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

const CreatePayload = payloadType<MadeKey>('ApiKeyCreate', { name: 'apiKey', type: ApiKeyRef, of: (made) => made.key });
builder.objectField(CreatePayload, 'key', (t) =>
  t.string({
    nullable: true,
    description: 'The key itself, shown this once; null when the request is repeated.',
    resolve: (payload) => payload.value?.secret ?? null,
  }),
);

builder.mutationFields((t) => ({
  apiKeyCreate: t.field({
    type: CreatePayload,
    description: 'Makes a key of the REST interface. For admins.',
    args: {
      input: t.arg({
        type: builder.inputType('ApiKeyCreateInput', {
          description: 'A new key.',
          fields: (f) => ({
            name: f.string({ required: true, description: 'What the key is for.' }),
            access: f.field({ type: AccessEnum, required: true, description: 'What it may do.' }),
            expiresAt: f.field({ type: 'DateTime', description: 'When it ends by itself.' }),
          }),
        }),
        required: true,
        description: 'The key.',
      }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<MadeKey>(async (commit) => {
        const { name } = validate(newKey, { name: input.name });
        const key = { name, access: input.access, expiresAt: input.expiresAt?.getTime() ?? null };
        return commit((tx) => services.access.apiKeys.create(tx, caller, key));
      }),
  }),
  apiKeyRevoke: t.field({
    type: payloadType<ApiKey>('ApiKeyRevoke', { name: 'apiKey', type: ApiKeyRef }),
    description: 'Ends a key; noticed everywhere within a second. For admins.',
    args: {
      input: t.arg({
        type: builder.inputType('ApiKeyRevokeInput', {
          description: 'Which key.',
          fields: (f) => ({ id: f.id({ required: true, description: 'Identifier.' }) }),
        }),
        required: true,
        description: 'Which key.',
      }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<ApiKey>(async (commit) => {
        const id = parseId(input.id);
        if (id === undefined) throw unknownId('api_key', input.id);
        return commit((tx) => services.access.apiKeys.revoke(tx, caller, id));
      }),
  }),
}));
