import { type ReactNode, useId } from 'react';

interface SettingsSectionProps {
  readonly title: string;
  readonly description: string;
  readonly children: ReactNode;
}

/** What it is about beside what one can do, or above it where there is no room. */
export function SettingsSection({ title, description, children }: SettingsSectionProps) {
  const id = useId();
  return (
    <section className="settings-section" aria-labelledby={id}>
      <div>
        <h3 id={id}>{title}</h3>
        <p className="small">{description}</p>
      </div>
      <div className="settings-content">{children}</div>
    </section>
  );
}

/** What was done: it is read once, and stays until the next action. */
export function Done({ text }: { readonly text: string | undefined }) {
  return (
    <p className="settings-done" role="status">
      {text}
    </p>
  );
}
