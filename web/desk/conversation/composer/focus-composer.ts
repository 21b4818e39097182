/** Of the conversation in sight. One that can only be read has none. */
export function focusComposer(): void {
  document.querySelector<HTMLElement>('.composer textarea')?.focus();
}
