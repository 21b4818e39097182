import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { CHANNELS, type Channel } from '../kernel/channels.ts';
import { invalidField } from '../kernel/errors.ts';
import { id } from '../kernel/ids.ts';
import { findContrastProblem } from './contrast.ts';
import {
  isWithinLanguageLimit,
  LANGUAGE_LIMIT_RULE,
  mergeTexts,
  type TextOverrides,
  textChanges,
} from './widget-texts/resolve-texts.ts';

export const WIDGET_POSITIONS = ['bottom_right', 'bottom_left'] as const;
export type WidgetPosition = (typeof WIDGET_POSITIONS)[number];

/** What the widget shows while no operator is available. */
export const WHEN_UNAVAILABLE = ['hidden', 'leave_message', 'queue'] as const;
export type WhenUnavailable = (typeof WHEN_UNAVAILABLE)[number];

export const FIELD_MODES = ['off', 'optional', 'required'] as const;
export type FieldMode = (typeof FIELD_MODES)[number];

export const PRE_CHAT_FIELDS = ['name', 'email', 'question', 'consent'] as const;
export type PreChatField = (typeof PRE_CHAT_FIELDS)[number];

export interface WidgetSettings {
  readonly accentColor: string;
  readonly position: WidgetPosition;
  readonly channels: readonly Channel[];
  /** What conversations ask for that name neither a skill nor a group. */
  readonly skillId: number | null;
  readonly groupId: number | null;
  readonly preChat: Readonly<Record<PreChatField, FieldMode>>;
  readonly survey: boolean;
  readonly attachments: boolean;
  readonly whenUnavailable: WhenUnavailable;
  readonly texts: TextOverrides;
}

/** What is stored: only the settings that differ from the defaults. */
export type WidgetOverrides = Readonly<
  Partial<Omit<WidgetSettings, 'preChat'> & { preChat: Partial<WidgetSettings['preChat']> }>
>;

const DEFAULTS: WidgetSettings = {
  accentColor: '#1d4ed8',
  position: 'bottom_right',
  channels: ['chat'],
  skillId: null,
  groupId: null,
  preChat: { name: 'off', email: 'off', question: 'off', consent: 'off' },
  survey: true,
  attachments: true,
  whenUnavailable: 'leave_message',
  texts: {},
};

const COLOR_RULE = 'must be a colour like #1d4ed8';
const CHANNELS_RULE = 'must be 1 to 3 different channels';

const accentColor = z
  .string({ error: COLOR_RULE })
  .regex(/^#[0-9a-fA-F]{6}$/, { error: COLOR_RULE })
  .transform((color) => color.toLowerCase())
  .superRefine((color, context) => {
    const problem = findContrastProblem(color);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

const channels = z
  .array(z.enum(CHANNELS))
  .min(1, { error: CHANNELS_RULE })
  .refine((list) => new Set(list).size === list.length, { error: CHANNELS_RULE });

const fieldMode = z.enum(FIELD_MODES).nullish();

/** The settings to change; null restores a default. */
export const widgetUpdate = z.strictObject({
  accentColor: accentColor.nullish(),
  position: z.enum(WIDGET_POSITIONS).nullish(),
  channels: channels.nullish(),
  skillId: id.nullish(),
  groupId: id.nullish(),
  preChat: z.strictObject({ name: fieldMode, email: fieldMode, question: fieldMode, consent: fieldMode }).nullish(),
  survey: z.boolean().nullish(),
  attachments: z.boolean().nullish(),
  whenUnavailable: z.enum(WHEN_UNAVAILABLE).nullish(),
  texts: textChanges.nullish(),
});
export type WidgetUpdate = z.output<typeof widgetUpdate>;

/** Changes the named settings, and keeps all others. */
export function mergeWidget(before: WidgetOverrides, update: WidgetUpdate | null): WidgetOverrides {
  if (update === null) return {};
  const { preChat, texts, ...plain } = update;
  const merged = {
    ...dropEmpty({ ...before, ...dropUndefined(plain) }),
    preChat: preChat === null ? {} : dropEmpty({ ...before.preChat, ...dropUndefined(preChat ?? {}) }),
    texts: texts === null ? {} : mergeTexts(before.texts ?? {}, texts ?? []),
  };
  if (!isWithinLanguageLimit(merged.texts)) throw invalidField(['widget', 'texts'], LANGUAGE_LIMIT_RULE);
  return dropEmpty(merged) as WidgetOverrides;
}

export function resolveWidget(overrides: WidgetOverrides): WidgetSettings {
  return { ...DEFAULTS, ...overrides, preChat: { ...DEFAULTS.preChat, ...overrides.preChat } };
}

/** Texts are parsed once: most reads of a website find the same. */
const parsedOverrides = new LRUCache<string, WidgetOverrides>({ max: 2000 });

export function parseWidget(text: string | null): WidgetOverrides {
  if (text === null) return {};
  const overrides = parsedOverrides.get(text) ?? (JSON.parse(text) as WidgetOverrides);
  parsedOverrides.set(text, overrides);
  return overrides;
}

/** Null for the defaults alone. */
export function formatWidget(overrides: WidgetOverrides): string | null {
  return Object.keys(overrides).length === 0 ? null : JSON.stringify(overrides);
}

function dropUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Leaves out defaults, which are null or have no entries. */
function dropEmpty(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== null && !(typeof value === 'object' && Object.keys(value).length === 0),
    ),
  );
}
