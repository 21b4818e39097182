import type { AnchorHTMLAttributes, MouseEvent, Ref } from 'react';
import { navigate } from './navigation.ts';
import { type DeskRoute, formatRoute } from './route.ts';

interface RouteLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | 'onClick'> {
  readonly to: DeskRoute;
  readonly ref?: Ref<HTMLAnchorElement>;
}

/** A link to a part of the desk: it opens in a new tab like any other. */
export function RouteLink({ to, ...attributes }: RouteLinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return <a {...attributes} href={formatRoute(to)} onClick={follow} />;
}
