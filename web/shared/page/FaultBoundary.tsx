import { Component, type ReactNode } from 'react';
import { reportFault } from './report-fault.ts';

interface FaultBoundaryProps {
  /** Names the part in the log of the service. */
  readonly part: string;
  /** What is shown instead of a part that cannot be drawn. `retry` draws it again. */
  readonly fallback: (retry: () => void) => ReactNode;
  readonly children: ReactNode;
}

/** A part that cannot be drawn costs nothing but itself. React knows such boundaries only as classes. */
export class FaultBoundary extends Component<FaultBoundaryProps, { readonly hasFault: boolean }> {
  override state = { hasFault: false };

  static getDerivedStateFromError() {
    return { hasFault: true };
  }

  override componentDidCatch(error: unknown): void {
    reportFault(this.props.part, error);
  }

  override render() {
    if (!this.state.hasFault) return this.props.children;
    return this.props.fallback(() => this.setState({ hasFault: false }));
  }
}
