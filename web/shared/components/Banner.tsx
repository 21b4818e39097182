import type { ReactNode } from 'react';
import { Icon } from './Icon.tsx';
import type { IconPath } from './icons.ts';

interface BannerProps {
  readonly icon: IconPath;
  /** Caution by default: act soon, nothing is broken. */
  readonly kind?: 'danger';
  /** `alert` interrupts a screen reader, `status` waits. */
  readonly role?: 'alert' | 'status';
  readonly title?: string;
  /** A line over the whole width of the page instead of a box. */
  readonly isInset?: boolean;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** What happened, and what comes next. Never blocks. */
export function Banner({ icon, kind, role = 'status', title, isInset = true, action, children }: BannerProps) {
  return (
    <div className="banner" data-inset={isInset ? '' : undefined} data-kind={kind} role={role}>
      <Icon path={icon} />
      <span>
        {title !== undefined && <strong>{title} </strong>}
        {children}
      </span>
      {action}
    </div>
  );
}
