import type { Context } from './context.ts';
import { SET_CONTEXT } from './service/operations.ts';
import { describePage } from './visitor.ts';

/** Tells the operators which page the visitor is on, also after a navigation without a page view. */
export class PageWatch {
  readonly #context: Context;
  #shown = '';
  #known = '';

  constructor(context: Context) {
    this.#context = context;
  }

  /** Once a second. A single-page website changes its address first, and its title a little later. */
  check(): void {
    const page = readPage();
    const isSettled = page === this.#shown;
    this.#shown = page;
    if (isSettled && page !== this.#known) this.send();
  }

  send(): void {
    const { chat, ask } = this.#context;
    this.#known = readPage();
    ask(SET_CONTEXT, { input: describePage(chat.fields) }).catch(() => undefined);
  }

  /** The next check sends the page again. */
  forget(): void {
    this.#known = '';
  }
}

function readPage(): string {
  return `${location.href}\n${document.title}`;
}
