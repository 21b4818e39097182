import { type Account, accountUpdate } from '../../../core/access/accounts.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { payloadType } from '../mutation.ts';

const meaningOf = (name: keyof typeof accountUpdate.shape) =>
  accountUpdate.shape[name].unwrap().meta()?.description ?? '';

/** Settings that are the business of admins. */
function forAdmins<K extends keyof Account>(name: K) {
  return (account: Account, _args: object, { caller }: Context): Account[K] => {
    if (caller.standing !== 'admin') throw forbiddenError();
    return account[name];
  };
}

const AccountRef = builder.objectRef<Account>('Account').implement({
  description: 'One customer of the platform, with everything that is theirs. Called client in REST.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier.' }),
    name: t.exposeString('name', { description: 'Name.' }),
    lang: t.exposeString('lang', { description: 'Language of the account.' }),
    premiumEnabled: t.exposeBoolean('premiumEnabled', { description: 'Whether premium features are on.' }),
    autoAccept: t.exposeBoolean('autoAccept', { description: meaningOf('autoAccept') }),
    offerSeconds: t.exposeInt('offerSeconds', { description: meaningOf('offerSeconds') }),
    queueLimit: t.int({
      nullable: true,
      description: `${meaningOf('queueLimit')} For admins.`,
      resolve: forAdmins('queueLimit'),
    }),
    lowestPriorityFirst: t.boolean({
      nullable: true,
      description: `${meaningOf('lowestPriorityFirst')} For admins.`,
      resolve: forAdmins('lowestPriorityFirst'),
    }),
  }),
});

builder.queryField('account', (t) =>
  t.field({
    type: AccountRef,
    description: 'The account of the viewer.',
    resolve: async (_root, _args, { caller, services }) => {
      const account = await services.access.accounts.find(caller.accountId);
      if (!account) throw new Error(`The account ${caller.accountId} is gone.`);
      return account;
    },
  }),
);

builder.mutationField('accountUpdate', (t) =>
  t.field({
    type: payloadType<Account>('AccountUpdate', { name: 'account', type: AccountRef }),
    description: 'Changes the settings of the account that it names and no others. For admins.',
    args: {
      input: t.arg({
        type: builder.inputType('AccountUpdateInput', {
          description: 'A change of the account. What is left out stays.',
          fields: (f) => ({
            name: f.string({ description: meaningOf('name') }),
            autoAccept: f.boolean({ description: meaningOf('autoAccept') }),
            offerSeconds: f.int({ description: meaningOf('offerSeconds') }),
            queueLimit: f.int({ description: meaningOf('queueLimit') }),
            lowestPriorityFirst: f.boolean({ description: meaningOf('lowestPriorityFirst') }),
          }),
        }),
        required: true,
        description: 'The change.',
      }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Account>(async (commit) =>
        services.access.accounts.update(commit, caller, validate(accountUpdate, { ...input })),
      ),
  }),
);
