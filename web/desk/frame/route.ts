/** What the desk shows, as it stands in the address. */
export type DeskRoute =
  | { readonly view: 'list' }
  | { readonly view: 'conversation'; readonly conversationId: string; readonly isVisitorShown: boolean }
  | { readonly view: 'messagesLeft' }
  | { readonly view: 'settings' };

const CONVERSATION = /^\/desk\/conversations\/(\d+)\/?$/;

/** An address that the desk does not know is the list. */
export function parseRoute({ pathname, search }: { readonly pathname: string; readonly search: string }): DeskRoute {
  const conversationId = CONVERSATION.exec(pathname)?.[1];
  if (conversationId !== undefined) {
    return { view: 'conversation', conversationId, isVisitorShown: new URLSearchParams(search).has('visitor') };
  }
  const path = pathname.replace(/\/$/, '');
  if (path === '/desk/messages-left') return { view: 'messagesLeft' };
  return { view: path === '/desk/settings' ? 'settings' : 'list' };
}

export function formatRoute(route: DeskRoute): string {
  switch (route.view) {
    case 'list':
      return '/desk';
    case 'conversation':
      return `/desk/conversations/${route.conversationId}${route.isVisitorShown ? '?visitor' : ''}`;
    case 'messagesLeft':
      return '/desk/messages-left';
    case 'settings':
      return '/desk/settings';
  }
}

/** The conversation alone, without the drawer of the visitor. */
export function toConversation(conversationId: string): DeskRoute {
  return { view: 'conversation', conversationId, isVisitorShown: false };
}
