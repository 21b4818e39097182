/** At most one toast is in sight. */
export interface Toasts<Content> {
  readonly shown: Content | undefined;
  /** Comes after the one in sight. */
  readonly next: Content | undefined;
}

interface Actionable {
  readonly action?: object;
}

/** A toast takes the place of the one before; but what can only be read waits for what can be undone. */
export function addToast<Content extends Actionable>(
  { shown, next }: Toasts<Content>,
  added: Content,
): Toasts<Content> {
  if (shown?.action !== undefined && added.action === undefined) return { shown, next: added };
  return { shown: added, next };
}

export function endToast<Content>(toasts: Toasts<Content>, ended: Content | undefined): Toasts<Content> {
  const { shown, next } = toasts;
  if (ended === undefined) return toasts;
  if (shown === ended) return { shown: next, next: undefined };
  return next === ended ? { shown, next: undefined } : toasts;
}
