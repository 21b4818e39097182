interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** Enter, or with the other preference Ctrl or Cmd and Enter, which always works. */
export function isSendKey({ key, shiftKey, ctrlKey, metaKey, altKey }: Key, enterSends: boolean): boolean {
  if (key !== 'Enter' || shiftKey || altKey) return false;
  return enterSends || ctrlKey || metaKey;
}
