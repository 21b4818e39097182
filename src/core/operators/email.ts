import { z } from 'zod';
import { isStorable } from '../kernel/text.ts';

const RULE = 'must be a valid e-mail address of at most 254 characters';

// Any letter of any alphabet; no quoting, no comments. The domain needs a dot, except for localhost.
const ADDRESS =
  /^[^\s@"<>()[\],;:\\.]+(?:\.[^\s@"<>()[\],;:\\.]+)*@(?:localhost|[^\s@"<>()[\],;:\\.]+(?:\.[^\s@"<>()[\],;:\\.]+)+)$/u;

export const emailAddress = z
  .string({ error: RULE })
  .max(254, { error: RULE })
  .refine((address) => ADDRESS.test(address) && isStorable(address) && !hasControlCharacter(address), { error: RULE })
  .meta({ format: 'email', example: 'alice.martin@example.com' });

function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
