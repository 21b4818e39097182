import { chooseTextColor } from '../../../core/directory/contrast.ts';
import {
  type FieldMode,
  PRE_CHAT_FIELDS,
  type PreChatField,
  resolveWidget,
  type WhenUnavailable,
  type WidgetPosition,
  type WidgetSettings,
} from '../../../core/directory/widget.ts';
import { DEFAULT_TEXTS, listLanguages, resolveTexts } from '../../../core/directory/widget-texts/resolve-texts.ts';
import { graphqlError } from '../../graphql-server/errors.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { builder, ChannelEnum, createEnum } from '../builder.ts';
import { GroupRef, SkillRef, WebsiteRef } from './directory.ts';

const PositionEnum = createEnum<WidgetPosition>('WidgetPosition', 'Where the widget is on the page.', {
  bottom_right: 'At the bottom, on the right.',
  bottom_left: 'At the bottom, on the left.',
});

const WhenUnavailableEnum = createEnum<WhenUnavailable>(
  'WidgetWhenUnavailable',
  'What the widget shows while no operator is available.',
  {
    hidden: 'Nothing.',
    leave_message: 'A form to leave a message.',
    queue: 'The same as at other times: conversations wait.',
  },
);

const FieldModeEnum = createEnum<FieldMode>('WidgetFieldMode', 'Whether a form has a field.', {
  off: 'The form does not have the field.',
  optional: 'The visitor can leave the field empty.',
  required: 'The visitor must fill in the field.',
});

const DESCRIPTIONS = {
  accentColor:
    'The colour of buttons, for example `#1d4ed8`. Its contrast (WCAG 2) must be at least 3 to the white panel.',
  position: 'Where the widget is on the page. By default at the bottom, on the right.',
  channels: 'The channels on offer, in this order. By default chat.',
  preChat: 'The fields to fill in before a conversation. By default none.',
  survey: 'Whether the satisfaction survey is shown. By default it is.',
  attachments: 'Whether visitors can send files. By default they can.',
  whenUnavailable: 'What is shown while no operator is available. By default a form to leave a message.',
  language: 'The language (ISO 639-1).',
  key: 'The name of the text.',
} as const;

const FIELD_DESCRIPTIONS: Readonly<Record<PreChatField, string>> = {
  name: "The visitor's name.",
  email: "The visitor's e-mail address.",
  question: 'The question, which becomes the first message.',
  consent: 'A box to tick, with the text `consent`.',
};

const PreChatFormRef = builder.objectRef<WidgetSettings['preChat']>('WidgetPreChatForm').implement({
  description: 'The fields to fill in before a conversation.',
  fields: (t) =>
    Object.fromEntries(
      PRE_CHAT_FIELDS.map((name) => [
        name,
        t.expose(name, { type: FieldModeEnum, description: FIELD_DESCRIPTIONS[name] }),
      ]),
    ),
});

interface WidgetText {
  readonly language: string;
  readonly key: string;
  readonly text: string;
  readonly isDefault: boolean;
}

const WidgetTextRef = builder.objectRef<WidgetText>('WidgetText').implement({
  description: 'A text of the widget in a language.',
  fields: (t) => ({
    language: t.exposeString('language', { description: DESCRIPTIONS.language }),
    key: t.exposeString('key', { description: DESCRIPTIONS.key }),
    text: t.exposeString('text', { description: 'The text. The widget fills in parts in braces.' }),
    isDefault: t.exposeBoolean('isDefault', { description: 'Whether it is the default of the service.' }),
  }),
});

type Widget = WidgetSettings & { readonly websiteLanguage: string };

const WidgetRef = builder.objectRef<Widget>('Widget').implement({
  description: 'The settings of the widget on a website, with defaults filled in.',
  fields: (t) => ({
    accentColor: t.exposeString('accentColor', { description: DESCRIPTIONS.accentColor }),
    accentTextColor: t.string({
      description: 'The colour of text on the accent colour: black or white.',
      resolve: ({ accentColor }) => chooseTextColor(accentColor),
    }),
    position: t.expose('position', { type: PositionEnum, description: DESCRIPTIONS.position }),
    channels: t.field({
      type: [ChannelEnum],
      description: DESCRIPTIONS.channels,
      resolve: ({ channels }) => [...channels],
    }),
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'The skill that conversations ask for, if they name neither a skill nor a group.',
      resolve: ({ skillId }, _args, { load }) => loadOrNull(load.skill, skillId),
    }),
    group: t.field({
      type: GroupRef,
      nullable: true,
      description: 'The group that conversations ask for, if they name neither a skill nor a group.',
      resolve: ({ groupId }, _args, { load }) => loadOrNull(load.group, groupId),
    }),
    preChat: t.field({ type: PreChatFormRef, description: DESCRIPTIONS.preChat, resolve: ({ preChat }) => preChat }),
    survey: t.exposeBoolean('survey', { description: DESCRIPTIONS.survey }),
    attachments: t.exposeBoolean('attachments', { description: DESCRIPTIONS.attachments }),
    whenUnavailable: t.expose('whenUnavailable', {
      type: WhenUnavailableEnum,
      description: DESCRIPTIONS.whenUnavailable,
    }),
    languages: t.stringList({
      description: 'The languages in which there are texts.',
      resolve: ({ texts }) => listLanguages(texts),
    }),
    texts: t.field({
      type: [WidgetTextRef],
      description: 'All texts in a language. In a language without defaults, those that are not set are in English.',
      args: { language: t.arg.string({ description: "The language. Defaults to the website's language." }) },
      resolve: ({ texts, websiteLanguage }, { language }) => listTexts(texts, language ?? websiteLanguage),
    }),
  }),
});

function listTexts(overrides: WidgetSettings['texts'], language: string): WidgetText[] {
  if (!listLanguages(overrides).includes(language)) {
    throw graphqlError('BAD_REQUEST', `language must be one of ${listLanguages(overrides).join(', ')}.`);
  }
  return Object.entries(resolveTexts(overrides, language)).map(([key, text]) => ({
    ...{ language, key, text },
    isDefault: DEFAULT_TEXTS[language] !== undefined && !Object.hasOwn(overrides[language] ?? {}, key),
  }));
}

builder.objectField(WebsiteRef, 'widget', (t) =>
  t.field({
    type: WidgetRef,
    description: 'The settings of the widget.',
    resolve: ({ widget, languageAdmin }) => ({ ...resolveWidget(widget), websiteLanguage: languageAdmin }),
  }),
);

const PreChatFormInput = builder.inputType('WidgetPreChatFormInput', {
  description: 'The fields to change. Omitted ones stay unchanged; null restores the default.',
  fields: (t) =>
    Object.fromEntries(
      PRE_CHAT_FIELDS.map((name) => [name, t.field({ type: FieldModeEnum, description: FIELD_DESCRIPTIONS[name] })]),
    ),
});

const WidgetTextInput = builder.inputType('WidgetTextInput', {
  description: 'A text to change.',
  fields: (t) => ({
    language: t.string({ required: true, description: DESCRIPTIONS.language }),
    key: t.string({ required: true, description: DESCRIPTIONS.key }),
    text: t.string({ description: 'The new text. Null restores the default.' }),
  }),
});

export const WidgetInput = builder.inputType('WidgetInput', {
  description: 'The settings to change. Omitted ones stay unchanged; null restores the default.',
  fields: (t) => ({
    accentColor: t.string({ description: DESCRIPTIONS.accentColor }),
    position: t.field({ type: PositionEnum, description: DESCRIPTIONS.position }),
    channels: t.field({ type: [ChannelEnum], description: DESCRIPTIONS.channels }),
    skillId: t.id({ description: 'The skill that conversations ask for.' }),
    groupId: t.id({ description: 'The group that conversations ask for.' }),
    preChat: t.field({ type: PreChatFormInput, description: DESCRIPTIONS.preChat }),
    survey: t.boolean({ description: DESCRIPTIONS.survey }),
    attachments: t.boolean({ description: DESCRIPTIONS.attachments }),
    whenUnavailable: t.field({ type: WhenUnavailableEnum, description: DESCRIPTIONS.whenUnavailable }),
    texts: t.field({ type: [WidgetTextInput], description: 'Texts to change. Null restores all defaults.' }),
  }),
});
