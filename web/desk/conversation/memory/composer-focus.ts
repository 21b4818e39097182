/** The conversation in which the operator goes on to write: its composer takes the focus as soon as it is there. */
export class ComposerFocus {
  #wanted: string | undefined;

  request(conversationId: string): void {
    this.#wanted = conversationId;
  }

  /** It does not come. */
  cancel(conversationId: string): void {
    if (this.#wanted === conversationId) this.#wanted = undefined;
  }

  /** True once for each request. */
  take(conversationId: string): boolean {
    if (this.#wanted !== conversationId) return false;
    this.#wanted = undefined;
    return true;
  }
}
