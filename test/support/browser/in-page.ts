// Functions that run in the page: they use nothing but their argument and the browser.

// biome-ignore-start lint/suspicious/noExplicitAny: the types of the DOM are not those of the service
declare const document: any;
declare const history: any;
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

/** Navigates as a single-page website does: another address, another title, another body. */
export function showOtherPage({ address, title }: { readonly address: string; readonly title: string }): void {
  history.pushState({}, '', address);
  document.title = title;
  const body = document.createElement('body');
  body.innerHTML = '<main><h1></h1></main>';
  body.querySelector('h1').textContent = title;
  document.body.replaceWith(body);
}
