import { type Account, accountUpdate } from '../../../core/access/accounts.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { changed } from '../../graphql-server/mutation.ts';
import { builder, mutation } from '../builder.ts';
import type { Context } from '../context.ts';

const meaningOf = (name: keyof typeof accountUpdate.shape) =>
  accountUpdate.shape[name].unwrap().meta()?.description ?? '';

/** Settings that are the business of admins. */
function forAdmins<K extends keyof Account>(name: K) {
  return (account: Account, _args: object, { caller }: Context): Account[K] => {
    if (caller.accessLevel !== 'admin') throw forbiddenError();
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

mutation('accountUpdate', {
  description: 'Changes the settings of the account that it names and no others. For admins.',
  argument: 'The change.',
  input: {
    description: 'A change of the account. What is left out stays.',
    fields: (t) => ({
      name: t.string({ description: meaningOf('name') }),
      autoAccept: t.boolean({ description: meaningOf('autoAccept') }),
      offerSeconds: t.int({ description: meaningOf('offerSeconds') }),
      queueLimit: t.int({ description: meaningOf('queueLimit') }),
      lowestPriorityFirst: t.boolean({ description: meaningOf('lowestPriorityFirst') }),
    }),
  },
  answer: changed('account', AccountRef),
  run: (commit, { caller, services }, input) =>
    services.access.accounts.update(commit, caller, validate(accountUpdate, { ...input })),
});
