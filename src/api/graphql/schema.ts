import type { GraphQLSchema } from 'graphql';
import { withKnownLocations } from '../graphql-server/known-locations.ts';
import { resolveInTurns } from '../graphql-server/resolve-in-turns.ts';
import { builder } from './builder.ts';
import { removeReadChecks } from './full-read-schema.ts';
import { refuseRestrictedCallers } from './restricted-callers.ts';
import './types/account.ts';
import './types/api-key.ts';
import './types/browser-session.ts';
import './types/canned-reply.ts';
import './types/conversation.ts';
import './types/conversation-mutations.ts';
import './types/conversation-queries.ts';
import './types/desk-events.ts';
import './types/directory.ts';
import './types/directory-mutations.ts';
import './types/event.ts';
import './types/import.ts';
import './types/live.ts';
import './types/live-history.ts';
import './types/message-left.ts';
import './types/note.ts';
import './types/opening-hours.ts';
import './types/operator.ts';
import './types/operator-mutations.ts';
import './types/password-link.ts';
import './types/preferences.ts';
import './types/queue.ts';
import './types/rest-usage.ts';
import './types/routing.ts';
import './types/routing-queries.ts';
import './types/signals.ts';
import './types/statistics.ts';
import './types/subscriptions.ts';
import './types/tag.ts';
import './types/transfer-targets.ts';
import './types/two-factor.ts';
import './types/visitor.ts';
import './types/visitor-context.ts';
import './types/visitor-erase.ts';
import './types/visitor-update.ts';
import './types/webhook.ts';
import './types/webhook-mutations.ts';
import './types/widget.ts';

/** The imports above add their types and fields to the builder. */
export const schema = createSchema();

/** The same for callers who can read every operator. */
export const fullReadSchema = removeReadChecks(createSchema());

function createSchema(): GraphQLSchema {
  return refuseRestrictedCallers(resolveInTurns(withKnownLocations(builder.toSchema())));
}
