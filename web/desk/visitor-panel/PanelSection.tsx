import { type ReactNode, useState } from 'react';
import { Icon } from '../../shared/components/Icon.tsx';
import { CHEVRON_DOWN } from '../../shared/components/icons.ts';
import { readStored, writeStored } from '../../shared/stored.ts';

interface PanelSectionProps {
  /** Under which this browser keeps whether the section is closed. */
  readonly name: string;
  readonly title: string;
  readonly count?: number | undefined;
  readonly children: ReactNode;
}

/** A part of the panel that can be closed; it stays so for all visitors. */
export function PanelSection({ name, title, count, children }: PanelSectionProps) {
  const key = `desk:closed:${name}`;
  const [isOpen, setOpen] = useState(() => readStored(key) === null);
  return (
    <section className="panel-section">
      <details
        open={isOpen}
        onToggle={(event) => {
          setOpen(event.currentTarget.open);
          writeStored(key, event.currentTarget.open ? null : 'yes');
        }}
      >
        <summary>
          <h3>
            {title} {count !== undefined && <span className="panel-count">{count}</span>}
          </h3>
          <Icon path={CHEVRON_DOWN} />
        </summary>
        <div className="panel-content">{children}</div>
      </details>
    </section>
  );
}
