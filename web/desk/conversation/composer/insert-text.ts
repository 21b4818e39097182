/** Replaces what is selected, or the part from `start`, as if a person had typed it: the browser can undo it. */
export function insertText(field: HTMLTextAreaElement, text: string, start = field.selectionStart): void {
  field.focus();
  field.setSelectionRange(start, field.selectionEnd);
  // Deprecated, but the only way into the field's own undo. Where it is gone, the text still arrives.
  const isInserted = document.execCommand('insertText', false, text);
  if (isInserted) return;
  field.setRangeText(text, start, field.selectionEnd, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
