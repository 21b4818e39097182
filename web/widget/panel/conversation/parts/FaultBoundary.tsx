import { Component, type ComponentChildren } from 'preact';
import { reportFault } from '../../../../shared/page/report-fault.ts';
import type { Chat } from '../../chat.ts';

interface FaultBoundaryProps {
  readonly chat: Chat;
  /** Names the part in the log of the service. */
  readonly part: string;
  /** What is shown instead of a part that cannot be drawn. */
  readonly fallback: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part that cannot be drawn costs nothing but itself. Preact knows such boundaries only as classes. */
export class FaultBoundary extends Component<FaultBoundaryProps, { readonly hasFault: boolean }> {
  override state = { hasFault: false };

  override componentDidCatch(error: unknown): void {
    this.setState({ hasFault: true });
    reportFault(`widget: ${this.props.part}`, error, this.props.chat.host.service);
  }

  override render() {
    return this.state.hasFault ? this.props.fallback : this.props.children;
  }
}
