import { graphql } from '../../../shared/api/query.ts';
import { fold } from '../../../shared/format/fold.ts';
import type { BlockReason } from '../../state/model.ts';
import type { Obstacle } from '../../visitor-panel/routing/decision.ts';

export const targetsQuery = graphql(`
  query DeskTransferTargets($conversationId: ID!, $text: String) {
    transferTargets(conversationId: $conversationId, text: $text) {
      operators { operator { id pseudo } routable blockedBy obstacles slotNumber slotMaxNumber }
      skills { skill { id name } operatorsConnected operatorsRoutable }
      groups { group { id name } operatorsConnected operatorsRoutable }
    }
  }
`);

export const TARGET_KINDS = ['operator', 'skill', 'group'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

interface Named {
  readonly id: string;
  readonly name: string;
}

/** What the service says of the targets. */
export interface TransferTargets {
  readonly operators: readonly {
    readonly operator: { readonly id: string; readonly pseudo: string };
    readonly routable: boolean;
    readonly blockedBy: readonly BlockReason[];
    /** What keeps routing from choosing them; those besides `blockedBy` do not prevent a transfer. */
    readonly obstacles: readonly Obstacle[];
    readonly slotNumber: number;
    readonly slotMaxNumber: number;
  }[];
  readonly skills: readonly (Counts & { readonly skill: Named })[];
  readonly groups: readonly (Counts & { readonly group: Named })[];
}

interface Counts {
  readonly operatorsConnected: number;
  readonly operatorsRoutable: number;
}

export type Target = Named &
  (
    | {
        readonly kind: 'operator';
        readonly blockedBy: readonly BlockReason[];
        readonly obstacles: readonly Obstacle[];
        readonly slotNumber: number;
        readonly slotMaxNumber: number;
        readonly canTake: boolean;
      }
    | {
        readonly kind: 'skill' | 'group';
        readonly connectedCount: number;
        readonly routableCount: number;
        readonly canTake: boolean;
      }
  );

/** The targets of one kind whose names contain the text. In a skill or group without free operators one can wait. */
export function listTargets(targets: TransferTargets, kind: TargetKind, text: string): readonly Target[] {
  const wanted = fold(text.trim());
  return toTargets(targets, kind).filter(({ name }) => fold(name).includes(wanted));
}

function toTargets({ operators, skills, groups }: TransferTargets, kind: TargetKind): readonly Target[] {
  if (kind === 'operator') {
    return operators.map(({ operator, routable, ...live }) => ({
      ...{ kind, ...live, id: operator.id, name: operator.pseudo, canTake: routable },
    }));
  }
  const nodes: readonly (Counts & { readonly node: Named })[] =
    kind === 'skill'
      ? skills.map(({ skill, ...counts }) => ({ ...counts, node: skill }))
      : groups.map(({ group, ...counts }) => ({ ...counts, node: group }));
  return nodes.map(({ node, operatorsConnected, operatorsRoutable }) => ({
    ...{ kind, id: node.id, name: node.name, canTake: true },
    ...{ connectedCount: operatorsConnected, routableCount: operatorsRoutable },
  }));
}

/** As the action takes it. */
export function toTransferInput({ kind, id }: Target): {
  readonly operatorId?: string;
  readonly groupId?: string;
  readonly skillId?: string;
} {
  if (kind === 'operator') return { operatorId: id };
  return kind === 'skill' ? { skillId: id } : { groupId: id };
}

/** The next target that can take the conversation, from one place in the list in one direction. */
export function findNextTarget(list: readonly Target[], from: number, step: 1 | -1): number {
  for (let tries = 1; tries <= list.length; tries += 1) {
    const index = (from + step * tries + list.length * (tries + 1)) % list.length;
    if (list[index]?.canTake) return index;
  }
  return -1;
}
