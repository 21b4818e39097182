// Functions that run in the page: they use nothing but their argument and the browser.

// biome-ignore-start lint/suspicious/noExplicitAny: the types of the DOM are not those of the service
declare const document: any;
declare const history: any;
declare const dispatchEvent: (event: unknown) => void;
declare const PopStateEvent: any;
declare const getComputedStyle: (element: any) => Record<string, string>;
declare const DataTransfer: any;
declare const ClipboardEvent: any;
declare const DragEvent: any;
// biome-ignore-end lint/suspicious/noExplicitAny: see above

/** What the page could have changed, as one text for each element of the widget. */
export function readStyles(selector: string): string[] {
  const root = document.querySelector('switchboard-widget').shadowRoot;
  return [...root.querySelectorAll(selector)].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    const { color, backgroundColor, fontSize, fontFamily, direction, visibility, opacity, display, cursor } = style;
    const { transform, pointerEvents, margin, padding } = style;
    return JSON.stringify({
      ...{ element: `${element.tagName}.${element.getAttribute('class')}`, box: [x, y, width, height].map(Math.round) },
      ...{ color, backgroundColor, fontSize, fontFamily, direction, visibility, opacity, display, cursor },
      ...{ transform, pointerEvents, margin, padding },
    });
  });
}

export interface Transfer {
  readonly kind: 'paste' | 'drop';
  /** Where, in the widget. */
  readonly selector: string;
  readonly name: string;
  readonly type: string;
  /** The content, or its length. */
  readonly bytes: number[] | number;
}

/** Pastes or drops a file. */
export function transferFile({ kind, selector, name, type, bytes }: Transfer): void {
  const files = new DataTransfer();
  files.items.add(new File([new Uint8Array(bytes as number[])], name, { type }));
  const options = { bubbles: true, cancelable: true, composed: true };
  const event =
    kind === 'paste'
      ? new ClipboardEvent('paste', { clipboardData: files, ...options })
      : new DragEvent('drop', { dataTransfer: files, ...options });
  document.querySelector('switchboard-widget').shadowRoot.querySelector(selector).dispatchEvent(event);
}

export interface FileGesture {
  readonly type: 'dragover' | 'drop' | 'paste';
  readonly name: string;
  readonly bytes: readonly number[];
}

/** Drags, drops or pastes a picture on an element. Returns whether the page prevented what the browser does by itself. */
export function dispatchFile(element: unknown, { type, name, bytes }: FileGesture): boolean {
  const files = new DataTransfer();
  files.items.add(new File([new Uint8Array(bytes)], name, { type: 'image/png' }));
  const options = { bubbles: true, cancelable: true };
  const event =
    type === 'paste'
      ? new ClipboardEvent(type, { clipboardData: files, ...options })
      : new DragEvent(type, { dataTransfer: files, ...options });
  return !(element as EventTarget).dispatchEvent(event);
}

/** Goes to another address of the page without a new load, as the browser's buttons do. */
export function goToAddress(address: string): void {
  history.pushState(null, '', address);
  dispatchEvent(new PopStateEvent('popstate', { state: null }));
}

/** Navigates as a single-page website does: another address, another title, another body. */
export function showOtherPage({ address, title }: { readonly address: string; readonly title: string }): void {
  history.pushState({}, '', address);
  document.title = title;
  const body = document.createElement('body');
  body.innerHTML = '<main><h1></h1></main>';
  body.querySelector('h1').textContent = title;
  document.body.replaceWith(body);
}

/** Parts of the widget that are wider than their place, or outside of the window. A text that is cut says so. */
export function findOverflow(): string[] {
  const { clientWidth, scrollWidth } = document.documentElement;
  const root = document.querySelector('switchboard-widget').shadowRoot;
  const found = [...root.querySelectorAll('.launcher, .launcher *, .panel, .panel *')].flatMap((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    if (width === 0 || element.closest('.visually-hidden')) return [];
    const isOutside = left < -1 || right > clientWidth + 1;
    const isCut = element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflow !== 'visible';
    const isTooWide = isCut && !element.matches('input, textarea, progress');
    return isOutside || isTooWide
      ? [`${element.tagName}.${element.className}: ${element.textContent.slice(0, 80)}`]
      : [];
  });
  return scrollWidth > clientWidth ? ['the page scrolls sideways', ...found] : found;
}

/** The name of the element that has the focus, as far as the widget names its parts. */
export function readFocusedName(): string {
  const root = document.querySelector('switchboard-widget')?.shadowRoot;
  const element = root?.activeElement ?? document.activeElement;
  return (element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent).trim();
}

/** Whether an element of the panel is above the field for messages. */
export function isAboveField(element: { getBoundingClientRect(): { bottom: number } }): boolean {
  const field = document.querySelector('switchboard-widget').shadowRoot.querySelector('.panel-composer');
  return element.getBoundingClientRect().bottom <= field.getBoundingClientRect().top;
}

/** Ends what moves, in shadow roots too: the colours of a transition are those of no state. */
export function endTransitions(): void {
  const findRoots = (root: typeof document): (typeof document)[] => [
    root,
    ...[...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? findRoots(shadowRoot) : [])),
  ];
  const findRunning = () =>
    findRoots(document)
      .flatMap((root) => root.getAnimations())
      .filter(({ effect, playState }) => playState === 'running' && effect.getComputedTiming().endTime !== Infinity);
  // The end of an inherited transition starts that of the elements inside.
  for (let running = findRunning(); running.length > 0; running = findRunning())
    for (const each of running) each.finish();
}

/** A fault of the program: it cannot draw an address of this host. */
export function breakAddresses(host: string): void {
  const canParse = URL.canParse.bind(URL);
  URL.canParse = (text, base) => {
    if (String(text).includes(host)) throw new Error('This address is broken');
    return canParse(text, base);
  };
}

/** The locale of a system without one, as Chromium reports it. */
export function usePosixLocale(): void {
  Object.defineProperty(navigator, 'language', { value: 'en-US@posix' });
  Object.defineProperty(navigator, 'languages', { value: ['en-US@posix'] });
}
