import type { TextKey } from './text-keys.ts';

/** The answer of `GET /visitor/widget`. */
export interface WidgetSettings {
  readonly accountId: string;
  readonly websiteId: string;
  readonly language: string;
  readonly isOpen: boolean;
  readonly opensAt: string | null;
  readonly timezone: string;
  readonly channels: readonly { readonly channel: string; readonly isAvailable: boolean }[];
  readonly whenUnavailable: 'HIDDEN' | 'LEAVE_MESSAGE' | 'QUEUE';
  readonly accentColor: string;
  readonly accentTextColor: string;
  readonly position: 'BOTTOM_LEFT' | 'BOTTOM_RIGHT';
  readonly preChat: Readonly<Record<PreChatField, FieldMode>>;
  readonly survey: boolean;
  readonly attachments: boolean;
  readonly maxAttachmentBytes: number;
  readonly openingHours: OpeningHours | null;
  readonly texts: Readonly<Record<TextKey, string>>;
}

export type PreChatField = 'name' | 'email' | 'question' | 'consent';
export type FieldMode = 'OFF' | 'OPTIONAL' | 'REQUIRED';

export interface TimeRange {
  /** `09:00`; `24:00` is the end of the day. */
  readonly from: string;
  readonly to: string;
}

/** Times are those of clocks in the time zone of the website. */
export interface OpeningHours {
  readonly weekly: readonly (TimeRange & { readonly day: string })[];
  readonly dates: readonly { readonly date: string; readonly ranges: readonly TimeRange[] }[];
}

/** What can be offered to a visitor now. */
export type Offer = 'chat' | 'queue' | 'message' | 'nothing';

/** Calls and video calls are not offered: the panel has no media yet. */
export function findOffer({ channels, isOpen, whenUnavailable }: WidgetSettings): Offer {
  const chat = channels.find(({ channel }) => channel === 'CHAT');
  if (!chat) return 'nothing';
  if (chat.isAvailable) return 'chat';
  if (isOpen && whenUnavailable === 'QUEUE') return 'queue';
  return whenUnavailable === 'HIDDEN' ? 'nothing' : 'message';
}
