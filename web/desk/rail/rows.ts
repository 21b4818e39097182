import type { KeyboardEvent } from 'react';

const STEPS: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index, count) => Math.min(index + 1, count - 1),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_index, count) => count - 1,
};

/** The arrow keys move through all lists of the rail as through one. */
export function moveThroughRows(event: KeyboardEvent<HTMLElement>): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-row]') : null;
  const step = STEPS[event.key];
  if (row === null || step === undefined) return;
  event.preventDefault();
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')];
  rows[step(rows.indexOf(row), rows.length)]?.focus();
}

/** Of what the filter shows. */
export function findFirstRow(): HTMLElement | null {
  return document.querySelector<HTMLElement>('.rail [data-row]');
}

/** For what has no better place for the focus. Not where the rail is out of sight. */
export function focusRail(): void {
  const rail = document.querySelector<HTMLElement>('.rail');
  (rail?.querySelector<HTMLElement>('[data-row]:not([tabindex="-1"])') ?? rail)?.focus();
}
