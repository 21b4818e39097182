import { render } from 'preact';
import type { PanelHandle, PanelHost } from '../panel-host.ts';
import { Chat } from './chat.ts';
import { styles } from './panel.css';
import { Panel } from './parts/Panel.tsx';

/** Draws the panel. The loader calls it at the first click, or when a conversation is open. */
export function mount(host: PanelHost): PanelHandle {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  host.root.adoptedStyleSheets.push(sheet);
  const container = host.frame.appendChild(document.createElement('div'));
  let isDrawn = true;
  const draw = () => {
    isDrawn = true;
    render(<Panel chat={chat} />, container);
  };
  const drawSoon = () => {
    if (isDrawn) queueMicrotask(draw);
    isDrawn = false;
  };
  const chat = new Chat(host, drawSoon, async (self) =>
    (await import('./conversation/conversation.tsx')).createPart(self),
  );
  draw();
  return {
    open: () => chat.open(),
    close: () => chat.close(),
    identify: (identity) => chat.identify(identity),
    setFields: (fields) => chat.setFields(fields),
    update: (settings) => chat.update(settings),
    destroy() {
      chat.destroy();
      render(null, container);
    },
  };
}
