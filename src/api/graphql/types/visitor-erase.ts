import { requireId } from '../../graphql-server/ids.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { requireAdminCaller } from '../authorize.ts';
import { addMutation, builder, idInput } from '../builder.ts';
import { VisitorRef } from './visitor.ts';

builder.objectField(VisitorRef, 'erasedAt', (t) =>
  t.expose('erasedAt', {
    type: 'DateTime',
    nullable: true,
    description: "When the visitor's personal data was erased.",
  }),
);

addMutation('visitorErase', {
  description:
    "Permanently erases a visitor's personal data: names, addresses, external identifier, browser, context, messages and survey comments. Closes their open conversations and ends their sessions. Statistical data is retained: times, ratings and counts. Admins only.",
  argumentDescription: 'The visitor to erase.',
  input: idInput('The visitor to erase.', 'The identifier of the visitor.'),
  payload: objectPayload('visitor', VisitorRef),
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, { id }) =>
    services.visitors.erasure.erase(commit, caller, requireId('visitor', id)),
});
