import { findLinks } from '../../../shared/format/links.ts';

/** A text with its addresses as links. Everything else is shown as it is: text is never HTML. */
export function Linked({ text }: { readonly text: string }) {
  return (
    <>
      {findLinks(text).map(({ text: part, href }) =>
        href ? (
          <a href={href} target="_blank" rel="noopener noreferrer nofollow">
            {part}
          </a>
        ) : (
          part
        ),
      )}
    </>
  );
}
