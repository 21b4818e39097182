import { PROFILE_FIELDS, visitorProfile } from '../../../core/engine/records/visitor-profile.ts';
import type { Visitor } from '../../../core/visitors/visitor-query.ts';
import { graphqlError } from '../../graphql-server/errors.ts';
import { builder } from '../builder.ts';

export const VisitorRef = builder.objectRef<Visitor>('Visitor').implement({
  description: 'The visitor themself. Fields never filled are empty.',
  fields: (t) => ({
    uniqueId: t.exposeString('uniqueId', { description: 'The name in which the visitor is known to the website.' }),
    externalId: t.exposeString('externalId', {
      nullable: true,
      description: "The website's own identifier, if it vouched for the visitor.",
    }),
    ...Object.fromEntries(
      PROFILE_FIELDS.map((name) => [
        name,
        t.exposeString(name, { description: visitorProfile.shape[name].meta()?.description ?? '' }),
      ]),
    ),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When they first came.' }),
  }),
});

builder.queryField('visitor', (t) =>
  t.field({
    type: VisitorRef,
    description: 'The visitor whose token it is.',
    resolve: async (_root, _args, { visitor, services }) => {
      const found = await services.visitors.profiles.find(visitor);
      if (!found) throw graphqlError('UNAUTHENTICATED', 'access token not valid');
      return found;
    },
  }),
);
