import { useEffect } from 'react';

/** Files are dragged, not text of a page. */
export function hasFiles({ types }: Pick<DataTransfer, 'types'>): boolean {
  return types.includes('Files');
}

/** A file that is dropped where nothing takes it would open in place of the desk. */
export function useIgnoredFileDrops(): void {
  useEffect(() => {
    window.addEventListener('dragover', ignoreFiles);
    window.addEventListener('drop', ignoreFiles);
    return () => {
      window.removeEventListener('dragover', ignoreFiles);
      window.removeEventListener('drop', ignoreFiles);
    };
  }, []);
}

function ignoreFiles(event: DragEvent): void {
  const { dataTransfer } = event;
  // A view that takes it has prevented the default already.
  if (event.defaultPrevented || dataTransfer === null || !hasFiles(dataTransfer)) return;
  event.preventDefault();
  dataTransfer.dropEffect = 'none';
}
