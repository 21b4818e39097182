import { createInitials } from '../format/initials.ts';
import { Icon } from './Icon.tsx';
import { USER } from './icons.ts';

/** Hidden from screen readers: the name stands beside it. */
export function Avatar({ name }: { readonly name: string }) {
  return (
    <span className="avatar" aria-hidden="true">
      {createInitials(name) || <Icon path={USER} />}
    </span>
  );
}
