import type { KeyboardEvent } from 'react';
import type { TargetKind } from './targets.ts';

interface TargetTabsProps {
  readonly label: string;
  readonly kind: TargetKind;
  readonly options: readonly { readonly kind: TargetKind; readonly name: string }[];
  readonly panelId: string;
  readonly onChange: (kind: TargetKind) => void;
}

/** One tab stop; the arrow keys change the kind. */
export function TargetTabs({ label, kind, options, panelId, onChange }: TargetTabsProps) {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = options.findIndex((option) => option.kind === kind) + step;
    const next = options[(index + options.length) % options.length];
    if (next === undefined) return;
    onChange(next.kind);
    const tabs = event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]');
    tabs[options.indexOf(next)]?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {options.map((option) => (
        <button
          className="tab"
          key={option.kind}
          type="button"
          role="tab"
          aria-selected={option.kind === kind}
          aria-controls={panelId}
          tabIndex={option.kind === kind ? 0 : -1}
          onClick={() => onChange(option.kind)}
        >
          {option.name}
        </button>
      ))}
    </div>
  );
}
