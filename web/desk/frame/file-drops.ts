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
  const { dataTransfer, target } = event;
  // A view that takes it has prevented the default already; a field for files takes it by itself.
  if (event.defaultPrevented || dataTransfer === null || !hasFiles(dataTransfer)) return;
  if (target instanceof HTMLInputElement && target.type === 'file') return;
  event.preventDefault();
  dataTransfer.dropEffect = 'none';
}
