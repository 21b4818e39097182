import { builder } from './builder.ts';
import './types/availability.ts';
import './types/conversation.ts';
import './types/mutations.ts';
import './types/subscriptions.ts';
import './types/visitor.ts';

/** The whole schema of visitors, with nothing else in it. */
export const visitorSchema = builder.toSchema();
