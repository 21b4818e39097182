/** Of a `KeyboardEvent`. */
export interface PressedKey {
  readonly key: string;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** `a`, `Alt+ArrowUp`; empty for a combination that has no name here. */
export function nameKey({ key, altKey, ctrlKey, metaKey }: PressedKey): string {
  if (ctrlKey || metaKey) return '';
  return altKey ? `Alt+${key}` : key.toLowerCase();
}
