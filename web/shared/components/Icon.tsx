import type { IconPath } from './icons.ts';

/** Hidden from screen readers: the words beside it, or the label of the button, say the same. */
export function Icon({ path }: { readonly path: IconPath }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}
