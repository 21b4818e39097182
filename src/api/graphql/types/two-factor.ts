import { buildTotpUri } from '../../../core/access/two-factor/totp.ts';
import {
  type NewRecoveryCodes,
  requireCanResetTwoFactor,
  type StartedTwoFactor,
} from '../../../core/access/two-factor/two-factor.ts';
import type { TwoFactorState } from '../../../core/access/two-factor/two-factor-store.ts';
import { canRead } from '../../../core/operators/permissions.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { requireId } from '../../graphql-server/ids.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { authorizeOnOperator, requireOperatorCaller } from '../authorize.ts';
import { addMutation, builder, idInput } from '../builder.ts';
import type { Context } from '../context.ts';
import { OperatorRef } from './operator.ts';

const PASSWORD_DESCRIPTION = 'The current password of the viewer.';
const CODE_DESCRIPTION = 'The current code of the authenticator app, or an unused recovery code.';

const TwoFactorRef = builder.objectRef<TwoFactorState>('TwoFactor').implement({
  description: 'The two-factor authentication of an operator: a code of an authenticator app besides the password.',
  fields: (t) => ({
    isEnabled: t.boolean({
      description: 'Whether the operator has set it up.',
      resolve: ({ enabledAt }) => enabledAt !== null,
    }),
    isRequired: t.exposeBoolean('isRequired', {
      description: "Whether the account requires it for one of the operator's roles.",
    }),
    enabledAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was set up.',
      resolve: ({ enabledAt }) => enabledAt,
    }),
    recoveryCodesLeft: t.int({
      nullable: true,
      description: 'The number of unused recovery codes. Available to the operator.',
      resolve: ({ id }, _args, { caller, services }) => {
        if (caller.operatorId !== id) throw forbiddenError();
        return services.access.twoFactorQuery.countRecoveryCodes({ accountId: caller.accountId, operatorId: id });
      },
    }),
  }),
});

builder.objectField(OperatorRef, 'twoFactor', (t) =>
  t.field({
    type: TwoFactorRef,
    nullable: true,
    description: 'The two-factor authentication of the operator.',
    resolve: async (operator, _args, { caller, load }) => {
      if (!canRead(caller, operator, 'details')) throw forbiddenError();
      return (await load.twoFactor.load(operator.id)) ?? null;
    },
  }),
);

const recoveryCodesPayload = {
  recoveryCodes: {
    type: ['String'] as const,
    description:
      'Ten codes, each of which replaces a code of the app once. They are shown only now. Null if there are user errors.',
    resolve: ({ recoveryCodes }: NewRecoveryCodes) => recoveryCodes,
  },
};

const operatorPayload = objectPayload('operator', OperatorRef, ({ id }: { readonly id: number }, { load }: Context) =>
  load.operator.load(id),
);

addMutation('twoFactorStart', {
  description:
    'Generates a secret for the authenticator app of the viewer. Nothing changes until `twoFactorConfirm`, which must follow within 15 minutes.',
  argumentDescription: 'What proves that the viewer may do it.',
  input: {
    description: 'What proves that the viewer may do it.',
    fields: (t) => ({
      currentPassword: t.string({
        description: `${PASSWORD_DESCRIPTION} Not needed by viewers who must set up two-factor authentication before anything else.`,
      }),
      code: t.string({
        description: `${CODE_DESCRIPTION} Required if two-factor authentication is set up already, to move to another app.`,
      }),
    }),
  },
  payload: {
    secret: {
      type: 'String',
      description: 'The secret in base 32, to type it. It is shown only now. Null if there are user errors.',
      resolve: ({ secret }: StartedTwoFactor) => secret,
    },
    uri: {
      type: 'String',
      description: 'The address with the secret, to show as a QR code. Null if there are user errors.',
      // Null, like the secret, when a request is repeated with its idempotency key.
      resolve: ({ secret, email }: StartedTwoFactor) => (secret === null ? null : buildTotpUri(secret, email)),
    },
  },
  authorize: requireOperatorCaller,
  run: (commit, { caller, services }, { currentPassword, code }) =>
    services.access.twoFactor.start(commit, caller, {
      currentPassword: currentPassword ?? undefined,
      code: code ?? undefined,
    }),
});

addMutation('twoFactorConfirm', {
  description:
    'Turns two-factor authentication of the viewer on, or moves it to the app with the secret of `twoFactorStart`. Ends all other sessions and tokens that the viewer got with the password.',
  argumentDescription: 'The first code.',
  input: {
    description: 'The first code.',
    fields: (t) => ({
      code: t.string({ required: true, description: 'The code that the authenticator app shows for the new secret.' }),
    }),
  },
  payload: recoveryCodesPayload,
  authorize: requireOperatorCaller,
  run: (commit, { caller, services }, { code }) => services.access.twoFactor.confirm(commit, caller, { code }),
});

addMutation('twoFactorDisable', {
  description:
    "Turns two-factor authentication of the viewer off. Not possible while the account requires it for the viewer's role.",
  argumentDescription: 'What proves that the viewer may do it.',
  input: {
    description: 'What proves that the viewer may do it.',
    fields: (t) => ({
      currentPassword: t.string({ required: true, description: PASSWORD_DESCRIPTION }),
      code: t.string({ required: true, description: CODE_DESCRIPTION }),
    }),
  },
  payload: operatorPayload,
  authorize: requireOperatorCaller,
  run: (commit, { caller, services }, input) => services.access.twoFactor.disable(commit, caller, input),
});

addMutation('recoveryCodesCreate', {
  description: 'Replaces the recovery codes of the viewer. The old ones stop working.',
  argumentDescription: 'What proves that the viewer may do it.',
  input: {
    description: 'What proves that the viewer may do it.',
    fields: (t) => ({
      currentPassword: t.string({ required: true, description: PASSWORD_DESCRIPTION }),
      code: t.string({ required: true, description: CODE_DESCRIPTION }),
    }),
  },
  payload: recoveryCodesPayload,
  authorize: requireOperatorCaller,
  run: (commit, { caller, services }, input) => services.access.twoFactor.createRecoveryCodes(commit, caller, input),
});

addMutation('twoFactorReset', {
  description:
    'Turns two-factor authentication off for an operator who lost the authenticator app and the recovery codes, and ends all their sessions and tokens. Admins only, and not for oneself.',
  argumentDescription: 'The operator.',
  input: idInput('The operator whose two-factor authentication is turned off.', 'The identifier of the operator.'),
  payload: operatorPayload,
  authorize: (context, { id }) => authorizeOnOperator(context, id, requireCanResetTwoFactor),
  run: (commit, { caller, services }, { id }) =>
    services.access.twoFactor.reset(commit, caller, requireId('operator', id)),
});
