import { withKnownLocations } from '../graphql-server/known-locations.ts';
import { resolveInTurns } from '../graphql-server/resolve-in-turns.ts';
import { builder } from './builder.ts';
import './types/availability.ts';
import './types/conversation.ts';
import './types/message-left.ts';
import './types/mutations.ts';
import './types/signals.ts';
import './types/subscriptions.ts';
import './types/visitor.ts';
import './types/visitor-context.ts';

/** The imports above add their types and fields to the builder. */
export const visitorSchema = resolveInTurns(withKnownLocations(builder.toSchema()));
