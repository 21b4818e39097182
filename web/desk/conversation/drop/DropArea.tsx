import { type DragEvent, type ReactNode, useState } from 'react';
import { hasFiles } from '../../frame/file-drops.ts';

interface DropAreaProps {
  /** Said while files are over it. Undefined where none can be sent. */
  readonly hint: string | undefined;
  readonly onFiles: (files: FileList) => void;
  readonly children: ReactNode;
}

/** Takes files anywhere in the conversation, and says so while they are over it. */
export function DropArea({ hint, onFiles, children }: DropAreaProps) {
  const [isOver, setOver] = useState(false);
  const follow = (event: DragEvent, isNowOver: boolean) => {
    if (hint === undefined || !hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    setOver(isNowOver);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button for files does the same
    <div
      className="drop-area"
      onDragOver={(event) => follow(event, true)}
      onDragLeave={(event) => {
        const isInside = event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget);
        if (!isInside) follow(event, false);
      }}
      onDrop={(event) => {
        follow(event, false);
        if (event.isDefaultPrevented()) onFiles(event.dataTransfer.files);
      }}
    >
      {children}
      {isOver && hint !== undefined && (
        <p className="drop-hint">
          <span>{hint}</span>
        </p>
      )}
    </div>
  );
}
