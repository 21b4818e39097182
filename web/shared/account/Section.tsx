import { type ReactNode, useEffect, useId, useRef } from 'react';

/** The end of an action, whose part of the section is gone. */
export interface Result {
  readonly text?: string;
}

interface SectionProps {
  readonly title: string;
  readonly description: string;
  /** A new one moves the focus to the heading: what had it is gone. */
  readonly done?: Result | undefined;
  readonly children: ReactNode;
}

export function Section({ title, description, done, children }: SectionProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (done) heading.current?.focus();
  }, [done]);
  return (
    <section className="account-section" aria-labelledby={id}>
      <div>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <p className="small">{description}</p>
      </div>
      <div className="account-content">
        {children}
        <Done text={done?.text} />
      </div>
    </section>
  );
}

/** What was done: it is read once, and stays until the next action. */
export function Done({ text }: { readonly text: string | undefined }) {
  return (
    <p className="account-done" role="status">
      {text}
    </p>
  );
}
