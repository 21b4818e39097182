import type { Fields, Identity, PanelHost } from '../panel-host.ts';
import type { WidgetSettings } from '../settings.ts';
import type { TextKey } from '../text-keys.ts';
import { fill, findLocale } from '../words.ts';
import type { ConversationPart } from './conversation-part.ts';
import { countUnread } from './state/messages.ts';
import { createState, type State } from './state/state.ts';
import { Stored } from './stored.ts';

type LoadPart = (chat: Chat) => Promise<ConversationPart>;

/** The state of the panel, and what works without a conversation. */
export class Chat {
  state: State;
  readonly host: PanelHost;
  readonly stored: Stored;
  /** Loaded as soon as the visitor begins to write. */
  part: ConversationPart | undefined;
  /** False while the panel only comes back after a page view: then the focus stays in the page. */
  takesFocus = false;
  identity: Identity | null | undefined;
  fields: Fields | undefined;
  readonly #draw: () => void;
  readonly #loadPart: LoadPart;
  readonly #stop = new AbortController();
  #loading: Promise<ConversationPart> | undefined;
  #unread = 0;

  constructor(host: PanelHost, draw: () => void, loadPart: LoadPart) {
    this.host = host;
    this.#draw = draw;
    this.#loadPart = loadPart;
    this.fields = host.fields;
    this.state = createState(host.settings);
    this.stored = new Stored(host.settings, () => this.#followOtherTab(), this.#stop.signal);
    if (host.identity !== undefined) this.identify(host.identity);
    const { conversationId, draft = '', outbox = [] } = this.stored.values;
    this.state = { ...this.state, draft, outbox, isLoading: conversationId !== undefined };
    if (conversationId || outbox.length > 0) this.flush();
    // On a phone it would cover the page that the visitor has just opened.
    if (this.stored.hadPanel && innerWidth >= 480) queueMicrotask(() => this.#show(true));
  }

  get locale(): string {
    return findLocale(this.state.settings.language, navigator.language);
  }

  /** A text of the website, with its parts filled in. */
  text(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
    return fill(this.state.settings.texts[key], values);
  }

  set(values: Partial<State>): void {
    const before = this.state;
    this.state = { ...before, ...values };
    const { outbox, draft } = this.state;
    if (outbox !== before.outbox) this.stored.setOutbox(before.outbox, outbox);
    if (draft !== before.draft) this.stored.set({ draft });
    const unread = countUnread(this.state);
    if (unread !== this.#unread) this.host.onUnread(unread);
    this.#unread = unread;
    this.#draw();
  }

  load(): Promise<ConversationPart> {
    this.#loading ??= this.#loadPart(this).then(
      (part) => {
        this.part = part;
        this.#draw();
        return part;
      },
      (error) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }

  /** Sends what waits as soon as everything is loaded. */
  flush(): void {
    this.load().then(
      (part) => part.flush(),
      () => setTimeout(() => this.flush(), 2000),
    );
  }

  /** Runs an action of the visitor, and says in words what went wrong. */
  async run(action: (part: ConversationPart) => Promise<void>): Promise<void> {
    this.set({ isBusy: true, problem: '' });
    try {
      await action(await this.load());
    } catch (error) {
      this.set({ problem: this.explain(error) });
    }
    this.set({ isBusy: false });
  }

  /** A failure of the service has a reason; without an answer there is none. */
  explain(error: unknown): string {
    const { reason = '', retryAfterSeconds = 0 } = error as { reason?: string; retryAfterSeconds?: number };
    const keys: Readonly<Record<string, TextKey>> = {
      queue_full: 'queueFull',
      too_many_open: 'tooManyOpen',
      nobody_could: 'unavailable',
      closed: 'closed',
      RATE_LIMITED: 'tooFast',
    };
    return this.text(keys[reason] ?? 'error', { seconds: retryAfterSeconds });
  }

  open(): void {
    this.takesFocus = true;
    this.#show(true);
  }

  close(): void {
    this.#show(false);
  }

  update(settings: WidgetSettings): void {
    this.set({ settings });
  }

  type(draft: string): void {
    this.set({ draft });
    if (this.part) this.part.noteTyping();
    else this.load().catch(() => undefined); // sending tries again
  }

  send(): void {
    const { draft, conversation, outbox } = this.state;
    if (conversation) this.part?.send();
    else if (draft.trim() !== '') {
      const message = { clientId: createId(), text: draft, at: Date.now(), files: [] };
      this.set({ draft: '', problem: '', outbox: [...outbox, message] });
      this.flush();
    }
  }

  /** The next session has it; with an earlier one, the part compares who that was. */
  identify(identity: Identity | null): void {
    this.identity = identity;
    if (this.part) this.part.notePage();
    else if (this.stored.values.token) this.load().catch(() => undefined);
  }

  setFields(fields: Fields): void {
    this.fields = fields;
    this.part?.notePage();
  }

  destroy(): void {
    this.#stop.abort();
    this.part?.destroy();
  }

  #show(isOpen: boolean): void {
    if (this.state.isOpen === isOpen) return;
    this.set({ isOpen });
    this.stored.rememberPanel(isOpen);
    this.host.onToggle(isOpen);
  }

  #followOtherTab(): void {
    const { conversationId, draft = '' } = this.stored.values;
    if (document.hidden) this.set({ draft });
    if (conversationId === this.state.conversation?.id) return;
    this.load().then(
      (part) => part.followStored(),
      () => undefined,
    );
  }
}

/** `crypto.randomUUID` exists only on pages with https. */
export function createId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
