import type { WidgetSettings } from './settings.ts';

/** Who the visitor is, from the page. `signature` and `identity` are made by the website's server. */
export interface Identity {
  readonly externalId?: string;
  readonly signature?: string;
  /** A signed token, instead of `externalId` and `signature`. */
  readonly identity?: string;
  readonly [detail: string]: string | undefined;
}

export type Fields = Readonly<Record<string, string>>;

/** What the panel gets from the loader. */
export interface PanelHost {
  readonly root: ShadowRoot;
  /** The element for the panel; it has the theme, the language and the tokens of the launcher. */
  readonly frame: HTMLElement;
  /** The address of the service, with a slash at its end. */
  readonly service: string;
  readonly settings: WidgetSettings;
  /** From the page, before the panel was loaded. Null after a log-out. */
  readonly identity: Identity | null | undefined;
  readonly fields: Fields | undefined;
  onUnread(count: number): void;
  onToggle(isOpen: boolean): void;
  emit(event: string, detail?: unknown): void;
}

export interface PanelHandle {
  open(): void;
  close(): void;
  identify(identity: Identity | null): void;
  setFields(fields: Fields): void;
  /** After each poll of the settings. */
  update(settings: WidgetSettings): void;
  destroy(): void;
}
