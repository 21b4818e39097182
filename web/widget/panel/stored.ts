import type { WidgetSettings } from '../settings.ts';
import type { Outgoing } from './state/state.ts';

/** What the browser keeps between pages and shares between tabs. */
export interface StoredValues {
  readonly token?: string | undefined;
  readonly expiresAt?: number | undefined;
  /** The visitor of the token, as the page identified them. */
  readonly person?: string | undefined;
  readonly conversationId?: string | undefined;
  /** Whether the conversation is open: then the widget loads its panel with the page. */
  readonly isOpen?: boolean | undefined;
  readonly draft?: string | undefined;
  /** What was typed into the fields of a form, by their names. */
  readonly form?: Readonly<Record<string, string>> | undefined;
  /** Messages that were not confirmed when the page was left. */
  readonly outbox?: readonly Outgoing[] | undefined;
}

/** Nothing is written before the visitor types or starts something. Works in memory if the browser stores nothing. */
export class Stored {
  values: StoredValues;
  readonly #key: string;

  constructor({ accountId, websiteId }: WidgetSettings, onChange: () => void, signal: AbortSignal) {
    this.#key = `switchboard:${accountId}:${websiteId}`;
    this.values = this.#read() ?? {};
    // Sent to all other tabs of the website when one of them writes.
    const follow = ({ key }: StorageEvent) => {
      if (key !== this.#key && key !== null) return;
      this.values = this.#read() ?? {};
      onChange();
    };
    window.addEventListener('storage', follow, { signal });
  }

  set(changes: StoredValues): void {
    // What another tab has just written stays.
    this.#write({ ...(this.#read() ?? this.values), ...changes });
  }

  /** Another tab may have messages of its own there. */
  setOutbox(before: readonly Outgoing[], after: readonly Outgoing[]): void {
    const known = new Set([...before, ...after].map(({ clientId }) => clientId));
    const others = (this.#read()?.outbox ?? []).filter(({ clientId }) => !known.has(clientId));
    this.set({ outbox: [...others, ...after] });
  }

  clear(): void {
    this.#write({});
  }

  /** Whether this tab shows the panel again on its next page; only for a conversation. */
  rememberPanel(isOpen: boolean): void {
    if (!this.values.conversationId) return;
    try {
      sessionStorage.setItem(this.#key, isOpen ? 'open' : '');
    } catch {
      // As above.
    }
  }

  get hadPanel(): boolean {
    try {
      return this.values.isOpen === true && sessionStorage.getItem(this.#key) === 'open';
    } catch {
      return false;
    }
  }

  #write(values: StoredValues): void {
    this.values = values;
    try {
      localStorage.setItem(this.#key, JSON.stringify(values));
    } catch {
      // The browser does not let this page store anything.
    }
  }

  #read(): StoredValues | undefined {
    try {
      return JSON.parse(localStorage.getItem(this.#key) ?? 'null') ?? undefined;
    } catch {
      return undefined;
    }
  }
}
