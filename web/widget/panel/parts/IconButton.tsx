import type { ComponentProps } from 'preact';
import { Icon } from './Icon.tsx';

interface IconButtonProps extends ComponentProps<'button'> {
  /** The shape. */
  readonly icon: string;
  /** What screen readers say, and the tooltip. */
  readonly label: string;
  readonly kind?: string;
}

export function IconButton({ icon, label, kind = 'quiet', ...others }: IconButtonProps) {
  return (
    <button type="button" class="button" data-kind={kind} data-icon aria-label={label} title={label} {...others}>
      <Icon d={icon} />
    </button>
  );
}
