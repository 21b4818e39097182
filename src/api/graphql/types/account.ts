import type { Account } from '../../../core/identity/accounts.ts';
import { builder } from '../builder.ts';

const AccountRef = builder.objectRef<Account>('Account').implement({
  description: 'One customer of the platform, with everything that is theirs. Called client in REST.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier.' }),
    name: t.exposeString('name', { description: 'Name.' }),
    lang: t.exposeString('lang', { description: 'Language of the account.' }),
    premiumEnabled: t.exposeBoolean('premiumEnabled', { description: 'Whether premium features are on.' }),
  }),
});

builder.queryField('account', (t) =>
  t.field({
    type: AccountRef,
    description: 'The account of the viewer.',
    resolve: async (_root, _args, { caller, services }) => {
      const account = await services.accounts.find(caller.accountId);
      if (!account) throw new Error(`The account ${caller.accountId} is gone.`);
      return account;
    },
  }),
);
