import type { ReactNode, RefObject } from 'react';
import { Menu } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';

export interface OpenMenu {
  /** Otherwise the focus is at the first choice. */
  readonly isByPointer: boolean;
  readonly trigger: RefObject<HTMLButtonElement | null>;
  readonly onOpenChange: (isOpen: boolean) => void;
}

interface MenuPopoverProps extends OpenMenu {
  readonly label: string;
  /** The choices. */
  readonly children: ReactNode;
}

/** A menu below its button, while it is rendered. */
export function MenuPopover({ label, isByPointer, trigger, onOpenChange, children }: MenuPopoverProps) {
  return (
    <Popover
      className="popover"
      placement="bottom end"
      offset={4}
      triggerRef={trigger}
      isOpen
      onOpenChange={onOpenChange}
    >
      <Menu className="menu" aria-label={label} autoFocus={isByPointer || 'first'} onClose={() => onOpenChange(false)}>
        {children}
      </Menu>
    </Popover>
  );
}
