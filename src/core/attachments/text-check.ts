/** Control characters other than tab, line feed, form feed and carriage return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are rejected
const CONTROL = /[\u0000-\u0008\u000b\u000e-\u001f\u007f\ufffe\uffff]/;
/** How far browsers look when they guess a media type. */
const GUESSED_CHARACTERS = 1445;
const MARKUP =
  /^\s*(<[!?a-z]|#!|%!PS|\{\\rtf)|<(!doctype|html|head|body|script|svg|iframe|object|embed|style|\?xml|\?php)\b/i;

/** Checks that a file is plain text while it arrives: valid UTF-8, and nothing that looks like markup or a script. */
export class TextCheck {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #start = '';

  /** Returns false if the file is not plain text. `isLast` also rejects a character that is cut off. */
  accepts(bytes: Uint8Array, isLast = false): boolean {
    let text: string;
    try {
      text = this.#decoder.decode(bytes, { stream: !isLast });
    } catch {
      return false;
    }
    if (this.#start.length < GUESSED_CHARACTERS) {
      this.#start = (this.#start + text).slice(0, GUESSED_CHARACTERS);
      if (MARKUP.test(this.#start)) return false;
    }
    return !CONTROL.test(text);
  }
}
