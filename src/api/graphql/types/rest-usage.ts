import type { RestUse } from '../../../core/reports/rest-usage.ts';
import { builder } from '../builder.ts';
import { replacementOf } from '../replacements.ts';
import { ApiKeyRef } from './api-key.ts';

const RestUsageRef = builder.objectRef<RestUse>('RestUsage').implement({
  description: 'What one key uses of the deprecated REST interface, and what replaces it.',
  fields: (t) => ({
    key: t.expose('key', { type: ApiKeyRef, description: 'The key.' }),
    what: t.exposeString('what', {
      description:
        'An endpoint (`GET /operator/{id}`), a filter (`GET /operator?filters[name]`) or a deprecated field (`operator.role`).',
    }),
    count: t.exposeFloat('count', { description: 'How often: a whole number, which may become larger than an Int.' }),
    firstUsedAt: t.expose('firstUsedAt', { type: 'DateTime', description: 'When it was used first.' }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', description: 'When it was used last.' }),
    replacement: t.string({
      nullable: true,
      description: 'A GraphQL document that does the same; null for what a newer version of the server counted.',
      resolve: ({ what }) => replacementOf(what) ?? null,
    }),
  }),
});

builder.queryField('restUsage', (t) =>
  t.field({
    type: [RestUsageRef],
    nullable: true,
    description: 'The migration meter: what each key still uses of the REST interface. For admins.',
    resolve: (_root, _args, { caller, services }) => services.reports.restUsage.list(caller),
  }),
);
