import type { ReactNode, Ref } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { Icon } from './Icon.tsx';
import type { IconPath } from './icons.ts';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  /** One primary button per region; danger only in a dialog that confirms. */
  readonly kind?: 'primary' | 'quiet' | 'danger';
  readonly size?: 'small';
  readonly icon?: IconPath;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** While it is pending it keeps the focus and does nothing. Disabled, its label says why. */
export function Button({ kind, size, icon, children, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className="button" data-kind={kind} data-size={size}>
      {icon && <Icon path={icon} />}
      {children}
    </AriaButton>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  readonly icon: IconPath;
  /** The name for screen readers, and the tooltip. */
  readonly label: string;
}

export function IconButton({ kind = 'quiet', size, icon, label, ...props }: IconButtonProps) {
  return (
    <AriaButton {...props} className="button" data-kind={kind} data-size={size} data-icon="" aria-label={label}>
      <Icon path={icon} />
      <span className="tooltip" aria-hidden="true">
        {label}
      </span>
    </AriaButton>
  );
}
