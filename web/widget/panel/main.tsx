import { render } from 'preact';
import { styles } from './panel.css';

export interface PanelHost {
  readonly root: ShadowRoot;
}

/** Draws the panel. The loader calls it at the first click. */
export function mount({ root }: PanelHost): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets.push(sheet);
  render(<div class="panel" />, root);
}
