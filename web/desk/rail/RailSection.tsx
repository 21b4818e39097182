import { type ReactNode, useId } from 'react';

interface RailSectionProps {
  readonly title: string;
  readonly count: number;
  readonly children: ReactNode;
}

export function RailSection({ title, count, children }: RailSectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 className="rail-title" id={id}>
        {title} <span className="count">{count}</span>
      </h2>
      {children}
    </section>
  );
}
