import { addDot } from './dotted-icon.ts';

const ICON = '/favicon.svg';

let plain: Promise<string> | undefined;

/** The icon of the tab, with a dot and its text while something waits. */
export async function showFavicon(dot: string): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link === null) return;
  if (dot === '') {
    link.href = ICON;
    return;
  }
  plain ??= fetch(ICON).then((response) => response.text());
  const drawn = await plain.catch(() => undefined);
  if (drawn !== undefined) link.href = `data:image/svg+xml,${encodeURIComponent(addDot(drawn, dot))}`;
}
