import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Database } from '../../storage/database.ts';
import { chooseTextColor } from '../directory/contrast.ts';
import { getOpeningStatus, type OpeningHours, type OpeningStatus } from '../directory/opening-hours.ts';
import { resolveWidget } from '../directory/widget.ts';
import { listLanguages, resolveTexts } from '../directory/widget-texts/resolve-texts.ts';
import { ShortLivedCache } from '../kernel/caches.ts';
import type { VisitorWebsite } from './visitor-websites.ts';
import { loadWidgetAvailability, type WidgetAvailability } from './widget-availability.ts';

/** What a page needs to know before it shows a button, as bytes, so that compressed copies are kept with it. */
export interface WidgetView {
  readonly bytes: Buffer;
  readonly hash: string;
  /** What the bytes were made from. */
  readonly source: string;
}

const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/**
 * Every page view of a website asks for it. What it depends on is read at most twice a second, and the bytes are made
 * again only if that changed.
 */
export class WidgetViews {
  readonly #database: Database;
  readonly #maxAttachmentBytes: number;
  readonly #current = new ShortLivedCache<WidgetView>();
  readonly #rendered = new LRUCache<string, WidgetView>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ bytes, source }) => bytes.length + source.length,
  });

  constructor(database: Database, maxAttachmentBytes: number) {
    this.#database = database;
    this.#maxAttachmentBytes = maxAttachmentBytes;
  }

  async find(website: VisitorWebsite, language: string): Promise<WidgetView> {
    const key = `${website.accountId} ${website.id} ${language}`;
    return (await this.#current.get(key, () => this.#load(key, website, language))) as WidgetView;
  }

  async #load(key: string, website: VisitorWebsite, language: string): Promise<WidgetView> {
    const { accountId, id: websiteId, operatorCount, widget, openingHours, timezone } = website;
    const { skillId = null, groupId = null } = widget;
    const need = { accountId, websiteId, operatorCount, skillId, groupId, language };
    const availability = await loadWidgetAvailability(this.#database, need);
    const status = getOpeningStatus(openingHours, timezone, availability.now);
    const { now: _now, ...channels } = availability;
    const source = JSON.stringify([channels, status, timezone, website.settingsText]);
    const earlier = this.#rendered.get(key);
    if (earlier?.source === source) return earlier;
    const rendered = {
      ...render(website, language, availability, status),
      maxAttachmentBytes: this.#maxAttachmentBytes,
    };
    const bytes = Buffer.from(JSON.stringify(rendered));
    const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    const view = { bytes, hash, source };
    this.#rendered.set(key, view);
    return view;
  }
}

/** Values of enums are those of GraphQL. */
function render(
  { accountId, id, widget, openingHours, timezone }: VisitorWebsite,
  language: string,
  availability: WidgetAvailability,
  { isOpen, opensAt }: OpeningStatus,
) {
  const settings = resolveWidget(widget);
  const { accentColor, skillId, groupId, survey, attachments } = settings;
  return {
    ...{ accountId: String(accountId), websiteId: String(id), language, languages: listLanguages(settings.texts) },
    ...{ isOpen, opensAt: opensAt === null ? null : new Date(opensAt).toISOString(), timezone },
    channels: settings.channels.map((channel) => ({
      channel: channel.toUpperCase(),
      isAvailable: isOpen && availability[channel] === 1,
    })),
    whenUnavailable: settings.whenUnavailable.toUpperCase(),
    ...{ skillId: toIdText(skillId), groupId: toIdText(groupId) },
    ...{ accentColor, accentTextColor: chooseTextColor(accentColor), position: settings.position.toUpperCase() },
    preChat: Object.fromEntries(Object.entries(settings.preChat).map(([name, mode]) => [name, mode.toUpperCase()])),
    ...{ survey, attachments },
    openingHours: openingHours && renderHours(openingHours),
    texts: resolveTexts(settings.texts, language),
  };
}

function renderHours({ weekly, dates }: OpeningHours) {
  return { weekly: weekly.map(({ day, from, to }) => ({ day: day.toUpperCase(), from, to })), dates };
}

function toIdText(id: number | null): string | null {
  return id === null ? null : String(id);
}
