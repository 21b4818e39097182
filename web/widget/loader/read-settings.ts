import type { WidgetSettings } from '../settings.ts';

/** False without an answer. Uses `XMLHttpRequest`, because pages replace `fetch`. */
export function readSettings(url: string): Promise<WidgetSettings | false> {
  return new Promise((resolve) => {
    const call = new XMLHttpRequest();
    call.open('GET', url);
    call.responseType = 'json';
    call.onloadend = () => resolve(call.status === 200 && call.response);
    call.send();
  });
}
