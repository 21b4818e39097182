import type { Invitation } from '../../../core/administration/password-links.ts';
import { requireCanSetPassword } from '../../../core/operators/permissions.ts';
import { requireId } from '../../graphql-server/ids.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { authorizeOnOperator } from '../authorize.ts';
import { addMutation, builder, idInput } from '../builder.ts';
import type { Context } from '../context.ts';
import { OperatorRef } from './operator.ts';

/** The page reads the token from the fragment, which never reaches a server or a log. */
const PAGE = '/password#token=';

const PasswordLinkRef = builder
  .objectRef<{ readonly url: string; readonly expiresAt: number }>('PasswordLink')
  .implement({
    description: 'A link with which an operator sets their password once, without the current one.',
    fields: (t) => ({
      url: t.exposeString('url', {
        description: 'The address of the page. Everyone who has it can set the password: pass it on privately.',
      }),
      expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the link ends: after 24 hours.' }),
    }),
  });

addMutation('operatorInvite', {
  description:
    'Makes a link with which the operator sets a password, to invite them or to reset a forgotten password. Replaces their earlier link. For admins, and for managers within their groups; never for the viewer.',
  argumentDescription: 'The operator to invite.',
  input: idInput('The operator to invite.', 'The identifier of the operator.'),
  payload: {
    ...objectPayload('operator', OperatorRef, ({ operator }: Invitation) => operator),
    link: {
      type: PasswordLinkRef,
      description: 'The link, shown only once. Null if the request is a retry.',
      resolve: ({ secret, expiresAt }: Invitation, { getBaseUrl }: Context) =>
        secret === null ? null : { url: `${getBaseUrl()}${PAGE}${secret}`, expiresAt },
    },
  },
  authorize: (context, { id }) => authorizeOnOperator(context, id, requireCanSetPassword),
  run: (commit, { caller, services }, { id }) =>
    services.administration.passwordLinks.create(commit, caller, requireId('operator', id)),
});
