import type { Database } from '../../storage/database.ts';
import type { Access } from '../access/access.ts';
import { OperatorQuery } from '../operators/operator-query.ts';
import { CannedReplies } from './canned-replies/canned-reply-service.ts';
import { OperatorImport } from './operator-import.ts';
import { OperatorService } from './operator-service.ts';
import { PasswordLinks } from './password-links.ts';
import { OperatorPreferences } from './preferences.ts';
import { Profiles } from './profile.ts';
import { TagService } from './tag-service.ts';
import { TreeService } from './tree-service.ts';
import { WebsiteService } from './website-service.ts';

/**
 * Services for operators, their password links, preferences and profiles, canned replies, websites, groups, skills and
 * tags.
 */
export type Administration = ReturnType<typeof createAdministration>;

export function createAdministration(database: Database, { limits, ownPassword, passwords, secrets }: Access) {
  const operatorQuery = new OperatorQuery(database);
  const operators = new OperatorService({ database, ownPassword, passwords, secrets, query: operatorQuery });
  return {
    cannedReplies: new CannedReplies(database),
    operators,
    operatorQuery,
    imports: new OperatorImport(operators),
    passwordLinks: new PasswordLinks({ database, limits, passwords }),
    preferences: new OperatorPreferences(database),
    profiles: new Profiles(database),
    websites: new WebsiteService(database, secrets),
    groups: new TreeService(database, 'group'),
    skills: new TreeService(database, 'skill'),
    tags: new TagService(database),
  };
}
