/** Calls when another tab has changed what `writeStored` keeps, and returns a function that ends it. */
export function watchStored(key: string, onChange: (value: string | null) => void): () => void {
  const handle = (event: StorageEvent) => {
    if (event.key === `switchboard:${key}`) onChange(event.newValue);
  };
  addEventListener('storage', handle);
  return () => removeEventListener('storage', handle);
}
