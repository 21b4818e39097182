import type { Actor, Person } from '../../state/model.ts';

export const CAUSES = [
  'STARTED',
  'SWEEP',
  'AVAILABLE',
  'CONNECTED',
  'SLOT_FREED',
  'PAUSE_ENDED',
  'OPERATOR_CHANGED',
  'DIRECTORY_CHANGED',
  'DECLINED',
  'TIMED_OUT',
  'WITHDRAWN',
  'OPERATOR_LOST',
  'VISITOR_RETURNED',
  'TRANSFER',
  'TAKE',
  'ESCALATION',
] as const;

/** What excludes an operator, in the order in which it is told. */
export const OBSTACLES = [
  'OFFLINE',
  'IN_GRACE',
  'SLOTS_FULL',
  'ON_CHAT',
  'ON_CALL',
  'ON_VIDEO',
  'NOT_AVAILABLE',
  'NOT_ENABLED',
  'REFUSED_LATELY',
  'LACKS_SKILL',
  'OTHER_GROUP',
  'OTHER_LANGUAGE',
  'OTHER_WEBSITE',
] as const;

export type RoutingCause = (typeof CAUSES)[number];
export type Obstacle = (typeof OBSTACLES)[number];

export interface RankedOperator {
  readonly servedLast: boolean;
  /** Null if the viewer may not read it. */
  readonly priority: number | null;
  /** Of the slots in use, from 0 to 1. */
  readonly share: number;
  readonly assignedAt: string | null;
  readonly operator: Person | null;
}

/** As in the schema. */
export interface RoutingDecision {
  readonly id: string;
  readonly at: string;
  readonly cause: RoutingCause;
  readonly forced: boolean;
  readonly operator: Person | null;
  readonly actor: Actor;
  readonly need: {
    readonly language: string;
    readonly skill: { readonly name: string } | null;
    readonly group: { readonly name: string } | null;
    readonly website: { readonly label: string } | null;
  };
  readonly ranked: readonly RankedOperator[];
  readonly excluded: readonly { readonly reason: Obstacle; readonly count: number }[];
}
