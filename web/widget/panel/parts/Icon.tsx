import type { Lamp } from '../../loader/describe-offer.ts';

/** Shapes of Lucide, drawn with lines. */
export const ALERT = 'M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20M12 8v4M12 16h.01';
export const CLIP =
  'm16 6-8.414 8.586a2 2 0 0 0 2.829 2.829l8.414-8.586a4 4 0 1 0-5.657-5.657l-8.379 8.551a6 6 0 1 0 8.485 8.485l8.379-8.551';
export const DOWN = 'm6 9 6 6 6-6';
export const UP = 'm5 12 7-7 7 7M12 19V5';

export function Icon({ d }: { readonly d: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={d} />
    </svg>
  );
}

/** A state is a lamp, a word and a colour. */
export function LampState({ lamp, text }: { readonly lamp: Lamp; readonly text: string }) {
  return (
    <span class="state" data-state={lamp}>
      <i />
      <span>{text}</span>
    </span>
  );
}
