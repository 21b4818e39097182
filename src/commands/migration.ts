import { parse } from 'graphql';
import { replacementOf } from '../api/graphql/replacements.ts';
import { commandLineCaller, withInstallation } from './open.ts';
import { day, table } from './table.ts';
import type { Terminal } from './terminal.ts';

/** The migration meter: what each key still uses of the REST interface, and what replaces it. */
export async function showMigration(
  terminal: Terminal,
  options: { readonly account?: number; readonly replacements?: boolean },
): Promise<void> {
  const { console } = terminal;
  await withInstallation(terminal, async (installation) => {
    const caller = await commandLineCaller(installation, options.account);
    const uses = await installation.reports.restUsage.list(caller);
    if (uses.length === 0) {
      console.log(
        'No key has used the REST interface. A running service writes down what it counted every 10 seconds.',
      );
      return;
    }
    const rows = uses.map(({ key, what, count, firstUsedAt, lastUsedAt }) => [
      String(key.id),
      key.name,
      `${key.prefix}…`,
      what,
      String(count),
      day(firstUsedAt),
      day(lastUsedAt),
      rootFieldOf(replacementOf(what)),
    ]);
    console.log(table(['id', 'name', 'key', 'used', 'times', 'first', 'last', 'instead'], rows));
    if (!options.replacements) {
      console.log('\nThe GraphQL documents that replace all this: switchboard migration --replacements');
      return;
    }
    for (const what of new Set(uses.map((use) => use.what)))
      console.log(`\n# instead of ${what}\n${replacementOf(what)}`);
  });
}

/** The field that takes the place, for a table in which a whole document does not fit. */
function rootFieldOf(document: string | undefined): string {
  const [definition] = document === undefined ? [] : parse(document).definitions;
  const [field] = definition?.kind === 'OperationDefinition' ? definition.selectionSet.selections : [];
  return field?.kind === 'Field' ? field.name.value : '-';
}
