import type { Density, Preferences, Theme } from '../../../core/administration/preferences.ts';
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

const DensityEnum = createEnum<Density>('Density', 'How much room the desk leaves between things.', {
  comfortable: 'More room.',
  compact: 'Less room: more conversations fit on the screen.',
});

const DESCRIPTIONS = {
  theme: 'The colours of the pages.',
  density: 'How much room the desk leaves between things.',
  sound: 'Whether the desk plays a sound for offers and messages.',
  notifications: 'Whether the desk shows notifications of the system.',
  singleKeyShortcuts: 'Whether single letters are shortcuts of the desk, such as `A` to accept an offer.',
  enterSends: 'Whether `Enter` sends a message; otherwise it starts a new line.',
} satisfies Record<keyof Preferences, string>;

const PreferencesRef = builder.objectRef<Preferences>('OperatorPreferences').implement({
  description: 'What an operator has chosen for the pages. The language is `languageAdmin` of the operator.',
  fields: (t) => {
    const flag = (name: 'sound' | 'notifications' | 'singleKeyShortcuts' | 'enterSends') =>
      t.exposeBoolean(name, { description: DESCRIPTIONS[name] });
    return {
      theme: t.expose('theme', { type: ThemeEnum, description: DESCRIPTIONS.theme }),
      density: t.expose('density', { type: DensityEnum, description: DESCRIPTIONS.density }),
      sound: flag('sound'),
      notifications: flag('notifications'),
      singleKeyShortcuts: flag('singleKeyShortcuts'),
      enterSends: flag('enterSends'),
    };
  },
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
    fields: (t) => ({
      theme: t.field({ type: ThemeEnum, description: DESCRIPTIONS.theme }),
      density: t.field({ type: DensityEnum, description: DESCRIPTIONS.density }),
      sound: t.boolean({ description: DESCRIPTIONS.sound }),
      notifications: t.boolean({ description: DESCRIPTIONS.notifications }),
      singleKeyShortcuts: t.boolean({ description: DESCRIPTIONS.singleKeyShortcuts }),
      enterSends: t.boolean({ description: DESCRIPTIONS.enterSends }),
    }),
  },
  payload: objectPayload('preferences', PreferencesRef),
  authorize: requireOperatorCaller,
  run: (commit, { caller, services }, input) => services.administration.preferences.update(commit, caller, input),
});
