import { builder } from './builder.ts';
import './types/account.ts';
import './types/api-key.ts';
import './types/directory.ts';
import './types/directory-mutations.ts';
import './types/import.ts';
import './types/live.ts';
import './types/operator.ts';
import './types/operator-mutations.ts';
import './types/rest-usage.ts';
import './types/subscriptions.ts';

/** The whole schema. Each file above adds its types and fields to the builder. */
export const schema = builder.toSchema();
