import { describeOffer, type LauncherText } from './loader/describe-offer.ts';
import { styles } from './loader/launcher.css';
import { create, drawLauncher } from './loader/launcher.ts';
import { readSettings } from './loader/read-settings.ts';
import type { Fields, Identity, PanelHandle, PanelHost } from './panel-host.ts';
import type { WidgetSettings } from './settings.ts';
import { fill, findLocale } from './words.ts';

const POLL_MS = 60_000;

type Listener = (detail?: unknown) => void;

/** What a page can do with the widget, as `window.Switchboard`. */
export interface SwitchboardApi {
  open(): void;
  close(): void;
  /** Null after the visitor has logged out: the conversation is forgotten on this device. */
  identify(identity: Identity | null): void;
  setFields(fields: Fields): void;
  /** Returns a function that removes the listener. */
  on(event: string, listener: Listener): () => void;
  destroy(): void;
}

interface TagSettings {
  /** A tag without one asks for `undefined`, which the service refuses. */
  readonly website: string;
  readonly account?: string;
  readonly language?: string;
}

function startWidget(script: HTMLScriptElement, page: { Switchboard?: SwitchboardApi }): SwitchboardApi {
  const { website, account, language } = script.dataset as DOMStringMap & TagSettings;
  const service = script.src.replace(/widget(\/[^/]+)?\.js([?#].*)?$/, '');
  const query = new URLSearchParams({ website, ...(account && { account }), ...(language && { language }) });
  const listeners: Record<string, Set<Listener>> = {};

  const element = document.createElement('switchboard-widget');
  const root = element.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  const button = create('button', 'launcher');
  const frame = root.appendChild(create('div', 'frame', button));
  button.hidden = true;
  button.onclick = open;

  let settings: WidgetSettings | undefined;
  let panel: Promise<PanelHandle> | undefined;
  let identity: Identity | null | undefined;
  let fields: Fields | undefined;
  let unread = 0;
  let isOpen = false;
  let failure: LauncherText | undefined;
  let nextPollAt = 0;

  function emit(event: string, detail?: unknown): void {
    // An error of the page stays one of the page.
    for (const listener of listeners[event] ?? []) queueMicrotask(() => listener(detail));
  }

  function draw(): void {
    if (!settings) return;
    const { texts, accentColor, accentTextColor, position } = settings;
    const { style } = frame;
    style.setProperty('--brand', accentColor);
    style.setProperty('--on-brand', accentTextColor);
    style.colorScheme = script.dataset.theme ?? 'light dark';
    frame.dataset.side = position;
    frame.lang = settings.language;
    const { open: action, unread: unreadText } = texts;
    const offer = failure ?? describeOffer(settings, new Date(), findLocale(frame.lang, navigator.language));
    button.hidden = isOpen || !(offer || unread);
    drawLauncher(button, {
      offer,
      unread,
      action: unread ? `${action}, ${fill(unreadText, { number: unread })}` : action,
    });
  }

  /** Asks for the settings while the page is visible. The cache of the browser makes it a conditional request. */
  async function poll(): Promise<void> {
    const now = performance.now();
    if (document.hidden || now < nextPollAt) return;
    nextPollAt = now + POLL_MS - 1000;
    const answer = await readSettings(`${service}visitor/widget?${query}`);
    const isFirst = !settings;
    // The browser hides the reason from the page.
    if (!answer && isFirst) console.warn(`Switchboard: website "${website}" must exist and allow ${origin}.`);
    if (!answer) return;
    settings = answer;
    draw();
    use((handle) => handle.update(answer));
    if (!isFirst) return;
    resume();
    emit('ready');
  }

  /** Loads the panel if a conversation of this visitor is open, here or in another tab. */
  function resume(): void {
    try {
      const { accountId, websiteId } = settings as WidgetSettings;
      if (JSON.parse(localStorage.getItem(`switchboard:${accountId}:${websiteId}`) as string).isOpen) loadPanel();
    } catch {
      // Nothing is stored, or the browser does not let this page store anything.
    }
  }

  function loadPanel(): void {
    if (!settings || panel) return;
    const { texts } = settings;
    const host: PanelHost = {
      ...{ root, frame, service, settings, identity, fields, emit },
      onUnread(count) {
        unread = count;
        draw();
        emit('unread', count);
      },
      onToggle(isPanelOpen) {
        isOpen = isPanelOpen;
        draw();
        if (!isOpen) button.focus();
        emit(isOpen ? 'open' : 'close');
      },
    };
    // All files at once, instead of the first one and then those that it imports.
    const [loaded] = PANEL_PATHS.map((path) => import(service + path)) as [Promise<typeof import('./panel/main.tsx')>];
    failure = undefined;
    panel = loaded.then((module) => module.mount(host));
    panel.catch(() => {
      panel = undefined; // the next click tries again
      failure = { lamp: 'offline', title: texts.open, detail: texts.error };
      draw();
    });
  }

  const use = (work: (handle: PanelHandle) => void) => panel?.then(work, () => undefined);

  function open(): void {
    if (settings) loadPanel();
    else api.on('ready', open);
    use((handle) => handle.open());
  }

  /** Pages that replace their content, or their whole body, keep the widget. */
  const observer = new MutationObserver(attach);
  function attach(): void {
    const { documentElement, body } = document;
    if (body && !element.isConnected) body.append(element);
    for (const each of [documentElement, body]) if (each) observer.observe(each, { childList: true });
  }

  const api: SwitchboardApi = {
    open,
    close() {
      use((handle) => handle.close());
    },
    identify(value) {
      identity = value;
      use((handle) => handle.identify(value));
    },
    setFields(value) {
      fields = value;
      use((handle) => handle.setFields(value));
    },
    on(event, listener) {
      listeners[event] ??= new Set();
      const list = listeners[event].add(listener);
      return () => list.delete(listener);
    },
    destroy() {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', poll);
      removeEventListener('storage', resume);
      observer.disconnect();
      use((handle) => handle.destroy());
      element.remove();
      delete page.Switchboard;
    },
  };

  attach();
  poll();
  const timer = setInterval(poll, POLL_MS);
  document.addEventListener('visibilitychange', poll);
  addEventListener('storage', resume);
  return api;
}

const page = window as { Switchboard?: SwitchboardApi };
// A second tag on the same page does nothing.
page.Switchboard ??= startWidget(document.currentScript as HTMLScriptElement, page);
