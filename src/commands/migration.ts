import { parse } from 'graphql';
import { findReplacement } from '../api/graphql/replacements.ts';
import { toCommandText } from './command-text.ts';
import { findCommandLineCaller, withInstallation } from './open.ts';
import { formatTable, formatTime } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Prints the migration meter: which REST operations each key still uses, and their replacements. */
export async function showMigration(
  terminal: Terminal,
  options: { readonly account?: number; readonly replacements?: boolean },
): Promise<void> {
  const { console } = terminal;
  await withInstallation(terminal, async (installation) => {
    const caller = await findCommandLineCaller(terminal, installation, options.account);
    const uses = await installation.reports.restUsage.list(caller);
    if (uses.length === 0) {
      console.log('No key has used the REST interface. A running service records usage every 10 seconds.');
      return;
    }
    const rows = uses.map(({ key, what, count, firstUsedAt, lastUsedAt }) => [
      String(key.id),
      key.name,
      `${key.prefix}…`,
      what,
      String(count),
      formatTime(firstUsedAt),
      formatTime(lastUsedAt),
      findRootField(findReplacement(what)),
    ]);
    console.log(formatTable(['id', 'name', 'key', 'used', 'times', 'first', 'last', 'instead'], rows));
    if (!options.replacements) {
      console.log(
        `\nTo see the GraphQL documents that replace them, run: ${toCommandText(terminal.env, 'migration --replacements')}`,
      );
      return;
    }
    for (const what of new Set(uses.map((use) => use.what)))
      console.log(`\n# instead of ${what}\n${findReplacement(what)}`);
  });
}

/** Returns the root field of the replacement: a whole document does not fit into the table. */
function findRootField(document: string | undefined): string {
  const [definition] = document === undefined ? [] : parse(document).definitions;
  const [field] = definition?.kind === 'OperationDefinition' ? definition.selectionSet.selections : [];
  return field?.kind === 'Field' ? field.name.value : '-';
}
