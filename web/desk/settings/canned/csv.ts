/** Spreadsheet programs save with one of these, depending on the country. */
const DELIMITERS = [',', ';', '\t'];

/**
 * Reads CSV as in RFC 4180, with the delimiter that the first line has most often. Undefined if a quote is not closed.
 * Empty lines are left out.
 */
export function parseCsv(text: string): string[][] | undefined {
  const content = text.replace(/^\ufeff/, '');
  const delimiter = findDelimiter(content);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endRow = () => {
    row.push(cell);
    if (row.some((each) => each !== '')) rows.push(row);
    row = [];
    cell = '';
  };
  for (let index = 0; index < content.length; index += 1) {
    const character = content[index] as string;
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (content[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === delimiter) {
      row.push(cell);
      cell = '';
    } else if (character === '\n' || character === '\r') {
      if (character === '\r' && content[index + 1] === '\n') index += 1;
      endRow();
    } else cell += character;
  }
  if (isQuoted) return undefined;
  endRow();
  return rows;
}

function findDelimiter(text: string): string {
  const line = /^[^\r\n]*/.exec(text)?.[0] ?? '';
  const count = (delimiter: string) => line.split(delimiter).length;
  return DELIMITERS.reduce((best, each) => (count(each) > count(best) ? each : best));
}

/** Spreadsheet programs would run such a text as a formula. One apostrophe in front makes it plain text. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** With a byte order mark: some spreadsheet programs read other files in another encoding. */
export function createCsv(rows: readonly (readonly string[])[]): string {
  return `\ufeff${rows.map((row) => row.map(toCell).join(',')).join('\r\n')}\r\n`;
}

function toCell(text: string): string {
  const guarded = FORMULA.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

/** Removes what `createCsv` has put in front. */
export function removeFormulaGuard(text: string): string {
  return text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;
}
