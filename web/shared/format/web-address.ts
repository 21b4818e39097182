/** They can make an address look like another one. */
const DIRECTION_MARK = /\p{Bidi_Control}/u;

/**
 * An address from outside that may become a link: http or https, without a name and password in it, and without marks
 * of direction. Undefined for everything else, which is shown as a text.
 */
export function findWebAddress(text: string): string | undefined {
  if (!URL.canParse(text) || DIRECTION_MARK.test(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && !username && !password ? href : undefined;
}

/** The short form of an address: its path, or its host where the path says nothing. */
export function shortenAddress(text: string): string {
  const address = findWebAddress(text);
  if (address === undefined) return text;
  const { host, pathname } = new URL(address);
  return pathname === '/' ? host : decodePath(pathname);
}

function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
