import type { Preferences, Theme } from '../../../core/administration/preferences.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { requireOperatorCaller } from '../authorize.ts';
import { addMutation, builder, createEnum } from '../builder.ts';
import { OperatorRef } from './operator.ts';

const ThemeEnum = createEnum<Theme>('Theme', 'The colours of the pages.', {
  system: 'Light or dark, as the operating system of the operator says.',
  light: 'Dark text on a light background.',
  dark: 'Light text on a dark background.',
});

const PreferencesRef = builder.objectRef<Preferences>('OperatorPreferences').implement({
  description: 'What an operator has chosen for the pages. The language is `languageAdmin` of the operator.',
  fields: (t) => ({ theme: t.expose('theme', { type: ThemeEnum, description: 'The colours of the pages.' }) }),
});

builder.objectField(OperatorRef, 'preferences', (t) =>
  t.field({
    type: PreferencesRef,
    nullable: true,
    description: 'What the operator has chosen for the pages. For the viewer only.',
    resolve: ({ id }, _args, { caller, services }) => {
      if (caller.operatorId !== id) throw forbiddenError();
      return services.administration.preferences.find(caller.accountId, id);
    },
  }),
);

addMutation('preferencesUpdate', {
  description: 'Changes what the viewer has chosen for the pages. FORBIDDEN for API keys.',
  argumentDescription: 'The preferences to change.',
  input: {
    description: 'The preferences to change. Omitted ones stay unchanged.',
    fields: (t) => ({ theme: t.field({ type: ThemeEnum, description: 'The colours of the pages.' }) }),
  },
  payload: objectPayload('preferences', PreferencesRef),
  authorize: requireOperatorCaller,
  run: (commit, { caller, services }, { theme }) =>
    services.administration.preferences.update(commit, caller, { theme: theme ?? undefined }),
});
