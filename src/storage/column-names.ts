import { CamelCasePlugin, type PluginTransformResultArgs, type QueryResult, type UnknownRow } from 'kysely';

/**
 * Columns are `like_this` in the database and `likeThis` in the code. The drivers convert the column names once per
 * statement with `camelCase`; converting every row, as Kysely's plugin does, would cost as much as reading it.
 */
class ColumnNames extends CamelCasePlugin {
  override camelCase(column: string): string {
    return super.camelCase(column);
  }

  override async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result;
  }
}

export const columnNames = new ColumnNames();
