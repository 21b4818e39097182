import { CamelCasePlugin, type PluginTransformResultArgs, type QueryResult, type UnknownRow } from 'kysely';

/**
 * Columns are `like_this` in the database and `likeThis` in the code. The drivers name the columns of a statement once, by
 * `camelCase`, so that the rows that come need no further look: to rename each of them costs as much as to read it.
 */
class Names extends CamelCasePlugin {
  override camelCase(column: string): string {
    return super.camelCase(column);
  }

  override async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result;
  }
}

export const names = new Names();
