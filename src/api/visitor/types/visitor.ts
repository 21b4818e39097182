import { PROFILE_FIELDS, visitorProfile } from '../../../core/engine/records/visitor-profile.ts';
import type { Visitor } from '../../../core/visitors/visitor-query.ts';
import { graphqlError } from '../../graphql-server/errors.ts';
import { builder } from '../builder.ts';

export const VisitorRef = builder.objectRef<Visitor>('Visitor').implement({
  description: 'The visitor. Fields without a value are empty strings.',
  fields: (t) => ({
    uniqueId: t.exposeString('uniqueId', { description: 'The public identifier of the visitor.' }),
    externalId: t.exposeString('externalId', {
      nullable: true,
      description: "The website's identifier for the visitor, if the website signed it.",
    }),
    ...Object.fromEntries(
      PROFILE_FIELDS.map((name) => [
        name,
        t.exposeString(name, { description: visitorProfile.shape[name].meta()?.description ?? '' }),
      ]),
    ),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the visitor was first seen.' }),
  }),
});

builder.queryField('visitor', (t) =>
  t.field({
    type: VisitorRef,
    description: 'The visitor of the access token.',
    resolve: async (_root, _args, { visitor, services }) => {
      const profile = await services.visitors.profiles.find(visitor);
      if (!profile) throw graphqlError('UNAUTHENTICATED', 'access token not valid');
      return profile;
    },
  }),
);
