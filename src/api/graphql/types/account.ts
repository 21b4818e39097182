import { type Account, accountUpdate } from '../../../core/access/accounts.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { requireAdminCaller } from '../authorize.ts';
import { addMutation, builder, RoleEnum } from '../builder.ts';
import type { Context } from '../context.ts';

const getDescription = (name: keyof typeof accountUpdate.shape) =>
  accountUpdate.shape[name].unwrap().meta()?.description ?? '';

function resolveForAdmins<K extends keyof Account>(name: K) {
  return (account: Account, _args: object, { caller }: Context): Account[K] => {
    if (caller.accessLevel !== 'admin') throw forbiddenError();
    return account[name];
  };
}

const AccountRef = builder.objectRef<Account>('Account').implement({
  description: 'A customer of the platform. Called client in the REST API.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier of the account.' }),
    name: t.exposeString('name', { description: 'The name of the account.' }),
    lang: t.exposeString('lang', { description: 'The language of the account.' }),
    premiumEnabled: t.exposeBoolean('premiumEnabled', { description: 'Whether premium features are enabled.' }),
    autoAccept: t.exposeBoolean('autoAccept', { description: getDescription('autoAccept') }),
    offerSeconds: t.exposeInt('offerSeconds', { description: getDescription('offerSeconds') }),
    idleMinutes: t.exposeInt('idleMinutes', { description: getDescription('idleMinutes') }),
    operatorsMayTake: t.exposeBoolean('operatorsMayTake', { description: getDescription('operatorsMayTake') }),
    shareVisitorHistory: t.exposeBoolean('shareVisitorHistory', {
      description: getDescription('shareVisitorHistory'),
    }),
    waitingWarningSeconds: t.exposeInt('waitingWarningSeconds', {
      description: getDescription('waitingWarningSeconds'),
    }),
    pauseReasons: t.stringList({
      description: getDescription('pauseReasons'),
      resolve: ({ pauseReasons }) => [...pauseReasons],
    }),
    attachmentKinds: t.stringList({
      description: getDescription('attachmentKinds'),
      resolve: ({ attachmentKinds }) => [...attachmentKinds],
    }),
    attachmentMaxBytes: t.int({
      description: 'How large a file can be that is sent in a conversation, in bytes. The same for all accounts.',
      resolve: (_account, _args, { services }) => services.attachments.uploads.limits.maxBytes,
    }),
    signOnUrl: t.exposeString('signOnUrl', { nullable: true, description: getDescription('signOnUrl') }),
    twoFactorRequired: t.field({
      type: [RoleEnum],
      description: getDescription('twoFactorRequired'),
      resolve: ({ twoFactorRequired }) => [...twoFactorRequired],
    }),
    queueLimit: t.int({
      nullable: true,
      description: `${getDescription('queueLimit')} Admins only.`,
      resolve: resolveForAdmins('queueLimit'),
    }),
    lowestPriorityFirst: t.boolean({
      nullable: true,
      description: `${getDescription('lowestPriorityFirst')} Admins only.`,
      resolve: resolveForAdmins('lowestPriorityFirst'),
    }),
  }),
});

builder.queryField('account', (t) =>
  t.field({
    type: AccountRef,
    description: 'The account of the access token or API key.',
    resolve: async (_root, _args, { caller, services }) => {
      const account = await services.access.accounts.find(caller.accountId);
      if (!account) throw new Error(`Account ${caller.accountId} does not exist.`);
      return account;
    },
  }),
);

addMutation('accountUpdate', {
  description: 'Updates the account. Omitted fields stay unchanged. Admins only.',
  argumentDescription: 'The fields to change.',
  input: {
    description: 'The fields to change. Omitted fields stay unchanged.',
    fields: (t) => ({
      name: t.string({ description: getDescription('name') }),
      autoAccept: t.boolean({ description: getDescription('autoAccept') }),
      offerSeconds: t.int({ description: getDescription('offerSeconds') }),
      queueLimit: t.int({ description: getDescription('queueLimit') }),
      idleMinutes: t.int({ description: getDescription('idleMinutes') }),
      operatorsMayTake: t.boolean({ description: getDescription('operatorsMayTake') }),
      shareVisitorHistory: t.boolean({ description: getDescription('shareVisitorHistory') }),
      waitingWarningSeconds: t.int({ description: getDescription('waitingWarningSeconds') }),
      pauseReasons: t.stringList({ description: getDescription('pauseReasons') }),
      attachmentKinds: t.stringList({ description: getDescription('attachmentKinds') }),
      signOnUrl: t.string({ description: getDescription('signOnUrl') }),
      lowestPriorityFirst: t.boolean({ description: getDescription('lowestPriorityFirst') }),
      twoFactorRequired: t.field({ type: [RoleEnum], description: getDescription('twoFactorRequired') }),
    }),
  },
  payload: objectPayload('account', AccountRef),
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, input) =>
    services.access.accounts.update(commit, caller, validate(accountUpdate, { ...input })),
});
