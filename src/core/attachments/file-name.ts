import { type FileKind, findKindByExtension } from '../kernel/file-kinds.ts';

const MAX_LENGTH = 255;
/** A sender can send tens of thousands of characters. Only the last ones are examined: they have the extension. */
const MAX_EXAMINED_LENGTH = 1000;

/** Control characters, line separators, and marks that change the direction of writing and so disguise an extension. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Returns a name without a path that fits the kind: `C:\photos\me.exe` of a PNG becomes `me.exe.png`. */
export function cleanName(name: string | undefined, kind: FileKind): string {
  const [extension] = kind.extensions;
  const plain = (name ?? '')
    .slice(-MAX_EXAMINED_LENGTH)
    .toWellFormed()
    .replace(/^.*[\\/]/s, '')
    .replace(INVISIBLE, '')
    .replace(/%(22|0d|0a)|[<>:"|?*]/gi, '_') // browsers encode quotes and line ends like this
    .trim()
    .replace(/^\.+/, '')
    .replace(/[. ]+$/, '');
  const { stem, claimed } = splitExtension(plain);
  if (stem === '') return `file.${extension}`;
  const fitting = kind.extensions.includes(claimed.toLowerCase()) ? claimed : extension;
  // An extension of another kind is replaced; any other one is part of the name.
  const base = claimed === '' || fitting === claimed || findKindByExtension(claimed) ? stem : plain;
  return `${truncate(base, MAX_LENGTH - fitting.length - 1)}.${fitting}`;
}

/** The extension of a name as the sender gave it, in lower case; empty if there is none. */
export function readExtension(name: string | undefined): string {
  return splitExtension(name ?? '').claimed.toLowerCase();
}

function splitExtension(name: string): { stem: string; claimed: string } {
  const [, stem = name, claimed = ''] = /^(.*)\.(\w{1,10})$/su.exec(name) ?? [];
  return { stem, claimed };
}

/** Does not cut a character in half. */
function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  return text
    .slice(0, length)
    .toWellFormed()
    .replace(/\ufffd$/, '');
}
