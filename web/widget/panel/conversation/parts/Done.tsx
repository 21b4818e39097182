import { Icon } from '../../parts/Icon.tsx';
import { SEEN } from './icons.ts';

interface DoneProps {
  readonly text: string;
  readonly action: string;
  onAction(): void;
}

/** Says that something was received, and what can be done next. */
export function Done({ text, action, onAction }: DoneProps) {
  return (
    <div class="panel-body">
      <div class="done">
        <span class="avatar">
          <Icon d={SEEN} />
        </span>
        <p role="status">{text}</p>
        <button type="button" class="button" onClick={onAction}>
          {action}
        </button>
      </div>
    </div>
  );
}
