/** The address of the service, from the address of this script: `…/widget.js` or `…/widget/<version>.js`. */
const script = document.currentScript as HTMLScriptElement;
const service = script.src.replace(/widget(\/[^/]+)?\.js([?#].*)?$/, '');

async function open(): Promise<void> {
  const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' });
  const panel: typeof import('./panel/main.tsx') = await import(service + PANEL_PATH);
  panel.mount({ root });
}

Object.assign(window, { Switchboard: { open } });
