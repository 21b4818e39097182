import type { RestUse } from '../../../core/reports/rest-usage.ts';
import { builder } from '../builder.ts';
import { findReplacement } from '../replacements.ts';
import { ApiKeyRef } from './api-key.ts';

const RestUsageRef = builder.objectRef<RestUse>('RestUsage').implement({
  description: 'A feature of the deprecated REST API that an API key uses, and its replacement.',
  fields: (t) => ({
    key: t.expose('key', { type: ApiKeyRef, description: 'The API key.' }),
    what: t.exposeString('what', {
      description:
        'The feature: an endpoint (`GET /operator/{id}`), a filter (`GET /operator?filters[name]`) or a deprecated field (`operator.role`).',
    }),
    count: t.exposeFloat('count', { description: 'The number of uses: an integer that may exceed the range of Int.' }),
    firstUsedAt: t.expose('firstUsedAt', { type: 'DateTime', description: 'When the feature was first used.' }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', description: 'When the feature was last used.' }),
    replacement: t.string({
      nullable: true,
      description:
        'A GraphQL document that replaces the feature. Null if a newer server version recorded a feature that this one does not know.',
      resolve: ({ what }) => findReplacement(what) ?? null,
    }),
  }),
});

builder.queryField('restUsage', (t) =>
  t.field({
    type: [RestUsageRef],
    nullable: true,
    description: 'The migration meter: the REST features that each API key still uses. Admins only.',
    resolve: (_root, _args, { caller, services }) => services.reports.restUsage.list(caller),
  }),
);
