import { resolveInTurns } from '../graphql-server/resolve-in-turns.ts';
import { builder } from './builder.ts';
import './types/account.ts';
import './types/api-key.ts';
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
import './types/operator.ts';
import './types/operator-mutations.ts';
import './types/rest-usage.ts';
import './types/routing.ts';
import './types/routing-queries.ts';
import './types/statistics.ts';
import './types/subscriptions.ts';
import './types/tag.ts';
import './types/visitor.ts';
import './types/visitor-erase.ts';
import './types/webhook.ts';
import './types/webhook-mutations.ts';

/** The imports above add their types and fields to the builder. */
export const schema = resolveInTurns(builder.toSchema());
