export const ROLES = ['expert', 'operator', 'manager', 'admin'] as const;
export type Role = (typeof ROLES)[number];
