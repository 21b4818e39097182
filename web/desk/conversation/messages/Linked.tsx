import { memo } from 'react';
import { findLinksAndMail } from './mail-links.ts';

/** A text with its addresses as links. Everything else is shown as it is: text is never HTML. */
export const Linked = memo(function Linked({ text }: { readonly text: string }) {
  return findLinksAndMail(text).map(({ text: part, href }, index) =>
    href === undefined ? (
      part
    ) : (
      // The parts of a text never change their places.
      <a key={index} href={href} target="_blank" rel="noopener noreferrer nofollow">
        {part}
      </a>
    ),
  );
});
