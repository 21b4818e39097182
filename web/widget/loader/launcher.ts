import type { LauncherText } from './describe-offer.ts';
import { CHAT, MAIL } from './icons.ts';

export interface LauncherModel {
  readonly offer: LauncherText | undefined;
  readonly unread: number;
  /** What the button does, for screen readers. */
  readonly action: string;
}

/** What the button on the page shows. Built by hand: a policy of the page may forbid `innerHTML`. */
export function drawLauncher(button: HTMLElement, { offer, unread, action }: LauncherModel): void {
  const circle = create('span', 'circle', createIcon(!unread && offer?.lamp === 'offline' ? MAIL : CHAT));
  button.replaceChildren(circle);
  button.ariaLabel = action;
  if (unread) circle.append(create('span', 'badge', `${unread}`));
  else if (offer) {
    const { title, detail, lamp } = offer;
    const state = create('span', 'state', create('i'), detail);
    state.dataset.state = lamp;
    button.prepend(create('span', 'label', `${title} `, state));
    button.ariaLabel = `${title} ${detail} – ${action}`; // begins with what is seen
  }
}

export function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.className = className;
  element.append(...children);
  return element;
}

/** Of 24 pixels. */
function createIcon(d: string): SVGElement {
  const namespace = 'http://www.w3.org/2000/svg';
  const icon = document.createElementNS(namespace, 'svg');
  const path = icon.appendChild(document.createElementNS(namespace, 'path'));
  path.setAttribute('d', d);
  return icon;
}
