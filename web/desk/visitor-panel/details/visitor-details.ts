import { runMutation } from '../../../shared/api/mutation.ts';
import { graphql } from '../../../shared/api/query.ts';
import type { VisitorDetails } from '../visitor-query.ts';

const UPDATE = graphql(`
  mutation UpdateVisitor($input: VisitorUpdateInput!) {
    visitorUpdate(input: $input) { userErrors { field code reason message } }
  }
`);

/** In the order of the form, with their longest values. */
export const DETAILS = {
  firstname: 100,
  lastname: 100,
  email: 255,
  phone: 50,
  address: 255,
  zip: 20,
  city: 100,
  country: 100,
} as const;

export type DetailName = keyof VisitorDetails;
export const DETAIL_NAMES = Object.keys(DETAILS) as DetailName[];

/** Only what has changed: what the website has signed cannot be sent. */
export function findChanges(before: VisitorDetails, after: VisitorDetails): Partial<VisitorDetails> {
  const changed = DETAIL_NAMES.filter((name) => after[name].trim() !== before[name]);
  return Object.fromEntries(changed.map((name) => [name, after[name].trim()]));
}

/** Empty is allowed; otherwise it must be possible to write to it. */
export function isEmailAddress(text: string): boolean {
  return text.trim() === '' || /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(text.trim());
}

export const saveDetails = (id: string, changes: Partial<VisitorDetails>) =>
  runMutation(UPDATE, { input: { id, ...changes } });
