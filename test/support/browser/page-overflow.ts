// A function that runs in the page: it uses nothing but the browser.

// biome-ignore-start lint/suspicious/noExplicitAny: the types of the DOM are not those of the service
declare const document: any;
declare const getComputedStyle: (element: any) => Record<string, string>;
// biome-ignore-end lint/suspicious/noExplicitAny: see above

/** Elements of a part of the page that are outside of the window or wider than their place. A text that is cut on purpose says so. */
export function findPageOverflow(part: string): string[] {
  const { clientWidth, scrollWidth } = document.documentElement;
  const found = [...document.querySelectorAll(`${part} *`)].flatMap((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    // A label for screen readers has one pixel. The ring is wider than a phone, and the field for a code wider than its boxes.
    if (width <= 1 || element.closest('.visually-hidden, .offer-ring, .tooltip, .code-field')) return [];
    const isOutside = left < -1 || right > clientWidth + 1;
    const isTooWide =
      element.scrollWidth > element.clientWidth + 1 && !element.matches('input, select, svg, svg *, .truncate');
    const { display, clipPath } = getComputedStyle(element);
    const isVisible =
      display !== 'inline' && clipPath !== 'inset(50%)' && !element.querySelector('.offer-ring, .tooltip, .code-field');
    return isOutside || (isTooWide && isVisible)
      ? [`${element.tagName}.${element.className}: ${element.textContent.slice(0, 80)}`]
      : [];
  });
  return scrollWidth > clientWidth ? ['the page scrolls sideways', ...found] : found;
}
